// SPDX-License-Identifier: Apache-2.0
package dev.espalier.calcite;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.function.BiConsumer;
import org.apache.calcite.adapter.enumerable.EnumerableConvention;
import org.apache.calcite.adapter.enumerable.EnumerableFilter;
import org.apache.calcite.adapter.enumerable.EnumerableHashJoin;
import org.apache.calcite.adapter.enumerable.EnumerableProject;
import org.apache.calcite.plan.RelOptRule;
import org.apache.calcite.plan.RelOptRuleCall;
import org.apache.calcite.plan.RelRule;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.JoinInfo;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.RelFactories;
import org.apache.calcite.rel.logical.LogicalTableScan;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.tools.RelBuilderFactory;
import org.jspecify.annotations.Nullable;

/**
 * The rules by which plans come to use indexes. But for the first, they look at Calcite's physical
 * operators: those have costs already, which theirs are compared with.
 */
final class IndexRules {
  /** All of them. */
  static final List<RelOptRule> ALL =
      List.of(
          rule(
              "EspalierScan",
              top -> top.operand(LogicalTableScan.class).noInputs(),
              IndexRules::scan),
          rule(
              "EspalierColumns",
              top ->
                  top.operand(EnumerableProject.class)
                      .oneInput(scan -> scan.operand(EnumerableIndexScan.class).noInputs()),
              IndexRules::chooseColumns),
          rule(
              "EspalierKeyRange",
              top ->
                  top.operand(EnumerableFilter.class)
                      .oneInput(scan -> scan.operand(EnumerableIndexScan.class).noInputs()),
              IndexRules::chooseRange),
          rule(
              "EspalierJoin",
              top ->
                  top.operand(EnumerableHashJoin.class)
                      .inputs(
                          outer -> outer.operand(RelNode.class).anyInputs(),
                          inner -> inner.operand(EnumerableIndexScan.class).noInputs()),
              (call, config) -> join(call, null, call.rel(2))),
          rule(
              "EspalierJoinWithFilter",
              top ->
                  top.operand(EnumerableHashJoin.class)
                      .inputs(
                          outer -> outer.operand(RelNode.class).anyInputs(),
                          inner ->
                              inner
                                  .operand(EnumerableFilter.class)
                                  .oneInput(
                                      scan -> scan.operand(EnumerableIndexScan.class).noInputs())),
              (call, config) -> {
                EnumerableFilter filter = call.rel(2);
                join(call, filter.getCondition(), call.rel(3));
              }));

  private IndexRules() {}

  private static void scan(RelOptRuleCall call, RuleConfig config) {
    LogicalTableScan scan = call.rel(0);
    IndexTable table = scan.getTable().unwrap(IndexTable.class);
    if (table != null) {
      call.transformTo(
          EnumerableIndexScan.create(
              scan.getCluster(), scan.getTable(), table, table.allColumns(), KeyRange.ALL));
    }
  }

  private static void chooseColumns(RelOptRuleCall call, RuleConfig config) {
    EnumerableProject project = call.rel(0);
    EnumerableIndexScan scan = call.rel(1);
    List<Integer> fields = new ArrayList<>();
    for (RexNode expression : project.getProjects()) {
      if (!(expression instanceof RexInputRef reference)) {
        return;
      }
      fields.add(reference.getIndex());
    }
    if (!fields.isEmpty() && new HashSet<>(fields).size() == fields.size()) {
      call.transformTo(scan.withColumns(fields));
    }
  }

  private static void chooseRange(RelOptRuleCall call, RuleConfig config) {
    EnumerableFilter filter = call.rel(0);
    EnumerableIndexScan scan = call.rel(1);
    RexBuilder builder = filter.getCluster().getRexBuilder();
    KeyConditions conditions = KeyConditions.of(filter.getCondition(), scan.keyField(), builder);
    KeyRange range = scan.range().intersect(conditions.range());
    if (range.equals(scan.range())) {
      return;
    }
    EnumerableIndexScan narrowed = scan.withRange(range);
    call.transformTo(
        conditions.rest().isEmpty()
            ? narrowed
            : filter.copy(
                narrowed.getTraitSet(),
                narrowed,
                RexUtil.composeConjunction(builder, conditions.rest())));
  }

  /** Offers a join by index in place of a hash join. */
  private static void join(
      RelOptRuleCall call, @Nullable RexNode filter, EnumerableIndexScan inner) {
    EnumerableHashJoin join = call.rel(0);
    RelNode outer = join.getLeft();
    JoinCosts costs = JoinCosts.ofTable(inner.indexTable());
    JoinRelType type = join.getJoinType();
    boolean isKind =
        switch (type) {
          case INNER, LEFT, SEMI, ANTI -> true;
          default -> false;
        };
    JoinInfo info = join.analyzeCondition();
    int pair = info.rightKeys.indexOf(inner.keyField());
    if (costs == null || !isKind || inner.keyField() < 0 || pair < 0) {
      return;
    }
    int outerKey = info.leftKeys.get(pair);
    SqlTypeName keyType =
        outer.getRowType().getFieldList().get(outerKey).getType().getSqlTypeName();
    if (!SqlTypeName.INT_TYPES.contains(keyType)) {
      return;
    }
    RexBuilder builder = join.getCluster().getRexBuilder();
    int outerFields = outer.getRowType().getFieldCount();
    List<RexNode> residual = new ArrayList<>(info.nonEquiConditions);
    for (int other = 0; other < info.leftKeys.size(); other++) {
      if (other != pair) {
        residual.add(
            builder.makeCall(
                SqlStdOperatorTable.EQUALS,
                builder.makeInputRef(outer, info.leftKeys.get(other)),
                RexUtil.shift(
                    builder.makeInputRef(inner, info.rightKeys.get(other)), outerFields)));
      }
    }
    EnumerableIndexScan probed = inner;
    if (filter != null) {
      KeyConditions conditions = KeyConditions.of(filter, inner.keyField(), builder);
      probed = inner.withRange(inner.range().intersect(conditions.range()));
      conditions.rest().forEach(part -> residual.add(RexUtil.shift(part, outerFields)));
    }
    call.transformTo(
        new EnumerableIndexNestedLoopJoin(
            join.getCluster().traitSetOf(EnumerableConvention.INSTANCE),
            outer,
            join,
            probed,
            outerKey,
            residual.isEmpty() ? null : RexUtil.composeConjunction(builder, residual),
            costs));
  }

  private static RelOptRule rule(
      String description,
      RelRule.OperandTransform operands,
      BiConsumer<RelOptRuleCall, RuleConfig> action) {
    return new RuleConfig(RelFactories.LOGICAL_BUILDER, description, operands, action).toRule();
  }

  /** What a rule matches and does. */
  private record RuleConfig(
      RelBuilderFactory relBuilderFactory,
      @Nullable String description,
      RelRule.OperandTransform operandSupplier,
      BiConsumer<RelOptRuleCall, RuleConfig> action)
      implements RelRule.Config {
    @Override
    public RelOptRule toRule() {
      return new Rule(this);
    }

    @Override
    public RuleConfig withRelBuilderFactory(RelBuilderFactory factory) {
      return new RuleConfig(factory, description, operandSupplier, action);
    }

    @Override
    public RuleConfig withDescription(@Nullable String other) {
      return new RuleConfig(relBuilderFactory, other, operandSupplier, action);
    }

    @Override
    public RuleConfig withOperandSupplier(RelRule.OperandTransform transform) {
      return new RuleConfig(relBuilderFactory, description, transform, action);
    }
  }

  private static final class Rule extends RelRule<RuleConfig> {
    Rule(RuleConfig config) {
      super(config);
    }

    @Override
    public void onMatch(RelOptRuleCall call) {
      config.action().accept(call, config);
    }
  }
}
