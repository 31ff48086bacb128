// SPDX-License-Identifier: Apache-2.0
package dev.espalier.calcite;

import java.util.List;
import org.apache.calcite.DataContext;
import org.apache.calcite.adapter.enumerable.EnumerableHashJoin;
import org.apache.calcite.adapter.enumerable.EnumerableRel;
import org.apache.calcite.adapter.enumerable.EnumerableRelImplementor;
import org.apache.calcite.adapter.enumerable.JavaRowFormat;
import org.apache.calcite.adapter.enumerable.PhysType;
import org.apache.calcite.adapter.enumerable.PhysTypeImpl;
import org.apache.calcite.adapter.enumerable.RexToLixTranslator;
import org.apache.calcite.linq4j.function.Predicate1;
import org.apache.calcite.linq4j.tree.BlockBuilder;
import org.apache.calcite.linq4j.tree.Expression;
import org.apache.calcite.linq4j.tree.Expressions;
import org.apache.calcite.linq4j.tree.ParameterExpression;
import org.apache.calcite.plan.RelOptCost;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.SingleRel;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexProgram;
import org.apache.calcite.rex.RexProgramBuilder;
import org.apache.calcite.sql.validate.SqlValidatorUtil;
import org.apache.calcite.util.Util;
import org.jspecify.annotations.Nullable;

/**
 * Joins by looking up the keys of the outer side, its only input, in an index, the inner side. Rows
 * come out in the order of the outer side.
 *
 * <p>It takes the place of a hash join of the same inputs, whose costs it is measured by.
 */
final class EnumerableIndexNestedLoopJoin extends SingleRel implements EnumerableRel {
  private final EnumerableHashJoin replaced;
  private final EnumerableIndexScan inner;
  private final int outerKey;
  private final @Nullable RexNode residual;
  private final JoinCosts costs;

  /**
   * Makes a join.
   *
   * @param replaced the hash join of the same sides
   * @param inner the index, with the columns and the range of keys that the join sees
   * @param outerKey the field of the outer side that is looked up
   * @param residual what a pair of rows must fulfil besides, over the fields of both sides
   */
  EnumerableIndexNestedLoopJoin(
      RelTraitSet traits,
      RelNode outer,
      EnumerableHashJoin replaced,
      EnumerableIndexScan inner,
      int outerKey,
      @Nullable RexNode residual,
      JoinCosts costs) {
    super(replaced.getCluster(), traits, outer);
    this.replaced = replaced;
    this.inner = inner;
    this.outerKey = outerKey;
    this.residual = residual;
    this.costs = costs;
    this.rowType = replaced.getRowType();
  }

  @Override
  public RelNode copy(RelTraitSet traits, List<RelNode> inputs) {
    return new EnumerableIndexNestedLoopJoin(
        traits, inputs.getFirst(), replaced, inner, outerKey, residual, costs);
  }

  @Override
  public RelWriter explainTerms(RelWriter writer) {
    List<String> names =
        inner.columns().stream().map(column -> inner.indexTable().column(column).name()).toList();
    return super.explainTerms(writer)
        .item("joinType", type().lowerName)
        .item("index", inner.tableName())
        .item("outerKey", "$" + outerKey)
        .item("columns", names)
        .itemIf("key", inner.range(), !inner.range().isAll())
        .itemIf("residual", residual, residual != null)
        .item("method", costs.method());
  }

  private JoinRelType type() {
    return replaced.getJoinType();
  }

  @Override
  public double estimateRowCount(RelMetadataQuery mq) {
    return mq.getRowCount(replaced);
  }

  /**
   * Returns the cost of the hash join with its inner side, changed by as much as this join is
   * expected to be faster or slower. What both have, the rows that come out, does not change.
   *
   * <p>Calcite charges a row for a row that is sorted, and a row for one that is put into a hash
   * table. So a merge join, or a hash join with the sides exchanged, may cost it less. In time,
   * both are taken for no faster than the hash join; so where this join is faster than that one, it
   * is compared with the lowest of the three.
   */
  @Override
  public @Nullable RelOptCost computeSelfCost(RelOptPlanner planner, RelMetadataQuery mq) {
    RelOptCost self = replaced.computeSelfCost(planner, mq);
    RelOptCost innerCost = mq.getCumulativeCost(replaced.getRight());
    Double outerRows = mq.getRowCount(getInput());
    Double innerRows = mq.getRowCount(replaced.getRight());
    if (self == null || innerCost == null || outerRows == null || innerRows == null) {
      return null;
    }
    double out = Math.min(self.getRows(), mq.getRowCount(replaced));
    double factor = costs.overHashJoin(outerRows, innerRows, mq.getRowCount(inner));
    double work = self.getRows() - out;
    if (factor < 1) {
      double sortAndMerge = 2 * outerRows + innerRows;
      double exchanged = Util.nLogN(innerRows) + outerRows;
      work = Math.min(work, Math.min(sortAndMerge, exchanged));
    }
    double cost = out + (work + innerCost.getRows()) * factor;
    return planner.getCostFactory().makeCost(cost, 0, 0);
  }

  @Override
  public Result implement(EnumerableRelImplementor implementor, Prefer prefer) {
    BlockBuilder block = new BlockBuilder();
    Result outer = implementor.visitChild(this, 0, (EnumerableRel) getInput(), Prefer.ARRAY);
    Expression rows = block.append("outer", outer.block);
    PhysType outerType = outer.physType;
    if (outerType.getFormat() != JavaRowFormat.ARRAY
        && outerType.getFormat() != JavaRowFormat.SCALAR) {
      rows = block.append("arrays", outerType.convertTo(rows, JavaRowFormat.ARRAY));
      outerType =
          PhysTypeImpl.of(
              implementor.getTypeFactory(), getInput().getRowType(), JavaRowFormat.ARRAY);
    }
    int fields = getInput().getRowType().getFieldCount();
    JoinRun join =
        new JoinRun(type(), inner.indexTable(), inner.columns(), inner.range(), outerKey, fields);
    block.add(Generated.apply(implementor, join, DataContext.ROOT, rows, predicate(implementor)));
    PhysType physType =
        type().projectsRight()
            ? PhysTypeImpl.of(implementor.getTypeFactory(), getRowType(), JavaRowFormat.ARRAY)
            : outerType;
    return implementor.result(physType, block.toBlock());
  }

  /** Returns the residual condition as a predicate of arrays with the fields of both sides. */
  @SuppressWarnings("unchecked") // The class of a generic interface.
  private Expression predicate(EnumerableRelImplementor implementor) {
    if (residual == null) {
      return Expressions.constant(null);
    }
    RelDataType pairType =
        SqlValidatorUtil.createJoinType(
            implementor.getTypeFactory(),
            getInput().getRowType(),
            inner.getRowType(),
            null,
            List.of());
    RexProgramBuilder program = new RexProgramBuilder(pairType, getCluster().getRexBuilder());
    program.addCondition(residual);
    program.addIdentity();
    RexProgram condition = program.getProgram();
    PhysType physType =
        PhysTypeImpl.of(implementor.getTypeFactory(), pairType, JavaRowFormat.ARRAY, false);
    ParameterExpression pair = Expressions.parameter(Object[].class, "pair");
    BlockBuilder body = new BlockBuilder();
    body.add(
        Expressions.return_(
            null,
            RexToLixTranslator.translateCondition(
                condition,
                implementor.getTypeFactory(),
                body,
                new RexToLixTranslator.InputGetterImpl(pair, physType),
                implementor::getCorrelVariableGetter,
                implementor.getConformance())));
    return Expressions.lambda(Predicate1.class, body.toBlock(), pair);
  }
}
