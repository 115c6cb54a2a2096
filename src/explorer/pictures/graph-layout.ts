import type { GraphData, GraphOutput, GraphTx } from '../load/graph-data.ts';

/** A box of the graph. Boxes of even columns are transactions, those of odd columns outputs; the root is in column 0. */
export type GraphNode = {
  readonly key: string;
  readonly column: number;
  readonly x: number;
  readonly y: number;
  readonly content: GraphContent;
};

export type GraphContent =
  /** `side`: whether it is an ancestor or a descendant of the root. */
  | { readonly kind: 'tx'; readonly id: string; readonly tx: GraphTx | undefined; readonly side: Side | 'root' }
  /** Another chain, on which an output was created or is to be spent. */
  | { readonly kind: 'chain'; readonly id: string }
  | { readonly kind: 'output'; readonly output: GraphOutput }
  /** Outputs of a transaction that are not shown. */
  | { readonly kind: 'more'; readonly tx: string; readonly count: number; readonly side: Side };

type Side = 'in' | 'out';
type GraphEdge = { readonly from: string; readonly to: string };
export type GraphLayout = {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly width: number;
  readonly height: number;
};

export const box = { width: 176, height: 44 };
const step = { x: box.width + 40, y: box.height + 10 };

/** Places the transactions of a graph and their outputs in columns: ancestors left of the root, descendants right of it. */
export function layOutGraph(data: GraphData, chainID: string): GraphLayout {
  const builder = createBuilder(data, chainID);
  const root = data.txs.find(({ id }) => id === data.root);
  if (root !== undefined) builder.addRoot(root);
  const { contents, columns, edges, order } = builder;
  const byColumn = new Map<number, string[]>();
  for (const key of order) byColumn.set(columns.get(key) as number, [...(byColumn.get(columns.get(key) as number) ?? []), key]);
  const ys = placeRows(byColumn, edges);
  const [left, top] = [Math.min(...byColumn.keys()), Math.min(...ys.values())];
  const nodes = order.map((key) => {
    const column = columns.get(key) as number;
    return {
      key,
      column,
      x: (column - left) * step.x,
      y: (ys.get(key) as number) - top,
      content: contents.get(key) as GraphContent,
    };
  });
  return {
    nodes,
    edges,
    width: (Math.max(...byColumn.keys()) - left) * step.x + box.width,
    height: Math.max(...nodes.map(({ y }) => y)) + box.height,
  };
}

function createBuilder({ txs }: GraphData, chainID: string) {
  const byId = new Map(txs.map((tx) => [tx.id, tx]));
  const contents = new Map<string, GraphContent>();
  const columns = new Map<string, number>();
  const edges: GraphEdge[] = [];
  const order: string[] = [];
  const seenEdges = new Set<string>();

  const connect = (from: string, to: string): void => {
    if (seenEdges.has(`${from} ${to}`)) return;
    seenEdges.add(`${from} ${to}`);
    edges.push({ from, to });
  };

  /** Adds a box, or moves it farther from the root: it is in the column of its longest way. Returns whether it is new there. */
  const put = (key: string, column: number, content: GraphContent): boolean => {
    const before = columns.get(key);
    if (before === undefined) {
      contents.set(key, content);
      order.push(key);
    } else if (Math.abs(before) >= Math.abs(column)) return false;
    columns.set(key, column);
    return true;
  };

  const addSide = (tx: GraphTx, txKey: string, column: number, side: Side): void => {
    const away = side === 'in' ? -1 : 1;
    const join = (key: string, other: string): void => (side === 'in' ? connect(key, other) : connect(other, key));
    for (const output of side === 'in' ? tx.inputs : tx.outputs) {
      const key = `output ${output.id}`;
      put(key, column + away, { kind: 'output', output });
      join(key, txKey);
      const { id: next, chain } = side === 'in' ? output.created : output.spent;
      if (chain !== chainID) {
        const chainKey = `chain ${side} ${chain}`;
        put(chainKey, column + 2 * away, { kind: 'chain', id: chain });
        join(chainKey, key);
      } else if (next !== undefined) {
        const nextKey = `tx ${next}`;
        const expanded = byId.get(next);
        const isMoved = put(nextKey, column + 2 * away, { kind: 'tx', id: next, tx: expanded, side });
        join(nextKey, key);
        if (isMoved && expanded !== undefined) addSide(expanded, nextKey, column + 2 * away, side);
      }
    }
    const count = side === 'in' ? tx.moreInputs : tx.moreOutputs;
    if (count === 0) return;
    const moreKey = `more ${side} ${tx.id}`;
    put(moreKey, column + away, { kind: 'more', tx: tx.id, count, side });
    join(moreKey, txKey);
  };

  const addRoot = (root: GraphTx): void => {
    const key = `tx ${root.id}`;
    put(key, 0, { kind: 'tx', id: root.id, tx: root, side: 'root' });
    addSide(root, key, 0, 'in');
    addSide(root, key, 0, 'out');
  };
  return { contents, columns, edges, order, addRoot };
}

/** The y of each box: near the mean of those it is connected with, one column nearer to the root, without overlaps. */
function placeRows(byColumn: ReadonlyMap<number, readonly string[]>, edges: readonly GraphEdge[]): Map<string, number> {
  const neighbours = new Map<string, string[]>();
  for (const { from, to } of edges) {
    neighbours.set(from, [...(neighbours.get(from) ?? []), to]);
    neighbours.set(to, [...(neighbours.get(to) ?? []), from]);
  }
  const ys = new Map<string, number>();
  for (const [, keys] of [...byColumn].toSorted(([a], [b]) => Math.abs(a) - Math.abs(b))) {
    const wanted = keys.map((key, at) => {
      const known = (neighbours.get(key) ?? []).flatMap((one) => ys.get(one) ?? []);
      return { key, at, y: known.length === 0 ? 0 : known.reduce((sum, y) => sum + y, 0) / known.length };
    });
    const sorted = wanted.toSorted((a, b) => a.y - b.y || a.at - b.at);
    // The column is centred on where its boxes want to be; boxes that would overlap are pushed down first.
    let last = Number.NEGATIVE_INFINITY;
    const placed = sorted.map(({ key, y }) => {
      last = Math.max(y, last + step.y);
      return { key, y: last };
    });
    const shift = mean(sorted.map(({ y }) => y)) - mean(placed.map(({ y }) => y));
    for (const { key, y } of placed) ys.set(key, Math.round(y + shift));
  }
  return ys;
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
