import { expect, test } from 'bun:test';
import type { GraphData } from '../load/graph-data.ts';
import { box, type GraphLayout, layOutGraph } from './graph-layout.ts';

type End = readonly [id: string | undefined, chain?: string];
const output = (id: string, [created, createdOn = 'X']: End, [spent, spentOn = 'X']: End) => ({
  id,
  created: { id: created, chain: createdOn },
  spent: { id: spent, chain: spentOn },
});
const tx = (id: string, inputs: readonly object[], outputs: readonly object[], moreInputs = 0, moreOutputs = 0) => ({
  id,
  inputs,
  outputs,
  moreInputs,
  moreOutputs,
});
const layOut = (...txs: readonly { readonly id: string }[]): GraphLayout =>
  layOutGraph({ root: txs[0]?.id, txs } as unknown as GraphData, 'X');
/** The boxes as `column key`, and the edges. */
const shown = ({ nodes, edges }: GraphLayout) => ({
  nodes: nodes.map(({ column, key }) => `${column} ${key}`).toSorted(),
  edges: edges.map(({ from, to }) => `${from} > ${to}`).toSorted(),
});

const [step, rowStep] = [box.width + 40, box.height + 10];
const [in1, out1] = [output('i', ['before'], ['root']), output('o', ['root'], ['after'])];

test('ancestors are left of the root, descendants right of it, outputs between them', () => {
  const layout = layOut(tx('root', [in1], [out1]));
  expect(shown(layout)).toEqual({
    nodes: ['-1 output i', '-2 tx before', '0 tx root', '1 output o', '2 tx after'],
    edges: ['output i > tx root', 'output o > tx after', 'tx before > output i', 'tx root > output o'],
  });
  expect(layout.nodes.map(({ x, y, column }) => [x, y, column]).toSorted((a, b) => (a[0] as number) - (b[0] as number))).toEqual(
    [-2, -1, 0, 1, 2].map((column) => [(column + 2) * step, 0, column]),
  );
  expect([layout.width, layout.height]).toEqual([4 * step + box.width, box.height]);
  expect(layout.nodes.map(({ content }) => (content.kind === 'tx' ? [content.id, content.side, content.tx?.id] : content.kind))).toEqual([
    ['root', 'root', 'root'],
    'output',
    ['before', 'in', undefined],
    'output',
    ['after', 'out', undefined],
  ]);
});

test('expanded transactions go on, each in the column of its longest way', () => {
  const shortcut = output('s', ['root'], ['last']);
  const last = output('l', ['after'], ['last']);
  const layout = layOut(
    tx('root', [], [shortcut, out1]),
    tx('after', [out1], [last]),
    tx('last', [shortcut, last], [output('end', ['last'], [undefined])]),
  );
  expect(shown(layout).nodes).toEqual(['0 tx root', '1 output o', '1 output s', '2 tx after', '3 output l', '4 tx last', '5 output end']);
  // Each edge is drawn once.
  expect(new Set(shown(layout).edges).size).toBe(layout.edges.length);
  const before = layOut(tx('root', [in1], []), tx('before', [output('j', ['oldest'], ['before'])], [in1]));
  expect(shown(before).nodes).toEqual(['-1 output i', '-2 tx before', '-3 output j', '-4 tx oldest', '0 tx root']);
});

test('another chain is a box of its side, also if its transaction is not known; an unspent output leads nowhere', () => {
  const layout = layOut(
    tx('root', [output('i', ['a', 'P'], ['root'])], [output('o', ['root'], [undefined, 'P']), output('u', ['root'], [undefined])]),
  );
  expect(shown(layout)).toEqual({
    nodes: ['-1 output i', '-2 chain in P', '0 tx root', '1 output o', '1 output u', '2 chain out P'],
    edges: ['chain in P > output i', 'output i > tx root', 'output o > chain out P', 'tx root > output o', 'tx root > output u'],
  });
});

test('outputs that are not shown are counted on their side', () => {
  const layout = layOut(tx('root', [in1], [out1], 3, 0));
  expect(layout.nodes.flatMap(({ content }) => (content.kind === 'more' ? [[content.side, content.count, content.tx]] : []))).toEqual([
    ['in', 3, 'root'],
  ]);
  expect(shown(layout).edges).toContain('more in root > tx root');
  const right = layOut(tx('root', [in1], [out1], 0, 5));
  expect(right.nodes.flatMap(({ content, column }) => (content.kind === 'more' ? [[content.side, content.count, column]] : []))).toEqual([
    ['out', 5, 1],
  ]);
  expect(shown(right).edges).toContain('tx root > more out root');
});

test('boxes of a column stand below each other, around what they are connected with', () => {
  const outputs = ['a', 'b', 'c'].map((id) => output(id, ['root'], [`to ${id}`]));
  const { nodes, height } = layOut(tx('root', [], outputs));
  const ys = Object.fromEntries(nodes.map(({ key, y }) => [key, y]));
  expect(ys).toEqual({
    'tx root': rowStep,
    ...{ 'output a': 0, 'output b': rowStep, 'output c': 2 * rowStep },
    ...{ 'tx to a': 0, 'tx to b': rowStep, 'tx to c': 2 * rowStep },
  });
  expect(height).toBe(2 * rowStep + box.height);
});
