import { typeWords } from '../../api/summary/sentence.ts';
import type { GraphData, GraphOutput } from '../load/graph-data.ts';
import { graphUrl, maxOpen } from '../load/graph-data.ts';
import { chainTitle, type PageContext, shortName } from '../load/page-context.ts';
import { kindOfType } from '../load/tx-kind.ts';
import { compactAmount, groupDigits, shortId, splitAddress } from '../text/text-format.ts';
import { box, type GraphContent, type GraphLayout, type GraphNode } from './graph-layout.ts';

type GraphProps = { readonly data: GraphData; readonly layout: GraphLayout; readonly context: PageContext; readonly label: string };

/** Space for the buttons at the sides. */
const edge = 16;

/** Transactions and outputs as boxes, connected from creation to spending. Each transaction can be expanded and collapsed by a link. */
export const UtxoGraph = ({ data, layout, context, label }: GraphProps) => {
  const { nodes, edges, width, height } = layout;
  const byKey = new Map(nodes.map((node) => [node.key, node]));
  const full = width + 2 * edge;
  return (
    <svg
      class="picture graph"
      viewBox={`${-edge} -4 ${full} ${height + 8}`}
      width={full}
      height={height + 8}
      role="group"
      aria-label={label}
      data-arrows
    >
      {edges.map(({ from, to }) => (
        <Edge from={byKey.get(from) as GraphNode} to={byKey.get(to) as GraphNode} />
      ))}
      {nodes.map((node) => (
        <Node key={node.key} node={node} data={data} context={context} />
      ))}
    </svg>
  );
};

function Edge({ from, to }: { from: GraphNode; to: GraphNode }) {
  const [x0, y0] = [from.x + box.width, from.y + box.height / 2];
  const [x1, y1] = [to.x, to.y + box.height / 2];
  const middle = (x0 + x1) / 2;
  return <path d={`M${x0} ${y0}C${middle} ${y0} ${middle} ${y1} ${x1} ${y1}`} class="graph-edge" />;
}

function Node({ node, data, context }: { node: GraphNode; data: GraphData; context: PageContext }) {
  const { content, x, y } = node;
  const shown = textOf(content, context);
  // The button of an ancestor is at its left edge.
  const textX = x + (content.kind === 'tx' && content.side === 'in' ? 20 : 12);
  const body = (
    <>
      <title>{shown.label}</title>
      <rect x={x} y={y} width={box.width} height={box.height} class={`graph-box ${classOf(content, data)}`} />
      {content.kind === 'tx' && content.tx !== undefined && (
        <rect x={x} y={y} width={4} height={box.height} class={`mark-fill-${kindOfType(content.tx.type, content.tx.isMint).color}`} />
      )}
      <text x={textX} y={y + 18} class="cell-title">
        {shown.title}
      </text>
      <text x={textX} y={y + 34} class="cell-text">
        {shown.text}
      </text>
    </>
  );
  return (
    <g>
      {shown.href === undefined ? (
        <g role="img" aria-label={shown.label}>
          {body}
        </g>
      ) : (
        <a href={shown.href} class="cell-link">
          {body}
        </a>
      )}
      {content.kind === 'tx' && content.side !== 'root' && (
        <Toggle
          id={content.id}
          isOpen={content.tx !== undefined}
          side={content.side}
          data={data}
          x={content.side === 'in' ? x : x + box.width}
          y={y}
        />
      )}
    </g>
  );
}

type ToggleProps = {
  readonly id: string;
  readonly isOpen: boolean;
  readonly side: 'in' | 'out';
  readonly data: GraphData;
  readonly x: number;
  readonly y: number;
};

/** A link that expands or collapses a transaction, away from the root. */
function Toggle({ id, isOpen, side, data, x, y }: ToggleProps) {
  if (!isOpen && data.open.length >= maxOpen) return null;
  const open = isOpen ? data.open.filter((one) => one !== id) : [...data.open, id];
  const [word, sign] = isOpen ? ['Collapse', 'M-4 0H4'] : ['Expand', 'M-4 0H4M0 -4V4'];
  const label = `${word} the ${side === 'in' ? 'inputs' : 'outputs'} of ${shortId(id)}`;
  return (
    <a href={graphUrl(data.name, open)} class="graph-toggle" aria-label={label} data-in-place>
      <title>{label}</title>
      <circle cx={x} cy={y + box.height / 2} r={12} />
      <path d={sign} transform={`translate(${x} ${y + box.height / 2})`} class="glyph" />
    </a>
  );
}

function classOf(content: GraphContent, { selected }: GraphData): string {
  if (content.kind === 'tx') return content.side === 'root' ? 'root' : 'tx';
  if (content.kind !== 'output') return content.kind;
  return `output ${content.output.isSpent ? '' : 'unspent'} ${content.output.id === selected ? 'selected' : ''}`;
}

type NodeText = { readonly title: string; readonly text: string; readonly label: string; readonly href: string | undefined };

function textOf(content: GraphContent, context: PageContext): NodeText {
  if (content.kind === 'tx') {
    const { id, tx } = content;
    const title = tx === undefined ? 'Transaction' : `${kindOfType(tx.type, tx.isMint).word} · block ${groupDigits(tx.height)}`;
    return { title, text: shortId(id), label: `${title} ${id}`, href: `/tx/${id}` };
  }
  if (content.kind === 'chain') {
    const title = chainTitle(context, content.id);
    return { title: title.length > 20 ? shortId(title) : title, text: 'another chain', label: title, href: undefined };
  }
  if (content.kind === 'more') {
    const title = `+${groupDigits(content.count)} more`;
    const word = content.side === 'in' ? 'inputs' : 'outputs';
    return { title, text: word, label: `${title} ${word} of ${content.tx}`, href: `/tx/${content.tx}#${content.side}-0` };
  }
  const { output } = content;
  const { prefix, short } = splitAddress(output.addresses[0] ?? '', context.chain.alias);
  const owner =
    output.addresses.length === 0
      ? 'no owner'
      : output.addresses.length === 1
        ? (shortName(context, output.addresses[0] ?? '') ?? short)
        : `${output.threshold} of ${output.addresses.length}`;
  const title = outputTitle(output);
  const text = output.isSpent ? owner : `${owner} · unspent`;
  return {
    title,
    text,
    label: `Output ${output.index}: ${title}, ${output.addresses.length === 1 ? prefix : ''}${text}`,
    href: `/graph/${output.id}`,
  };
}

function outputTitle({ asset, type, isMintRight }: GraphOutput): string {
  const symbol = asset.symbol.slice(0, 8) || shortId(asset.assetId);
  if (isMintRight) return `may mint ${symbol}`;
  return type !== 'secp256k1' ? symbol + typeWords[type][0] : `${compactAmount(asset.amount, asset.denomination)} ${symbol}`;
}
