import type { Bundle, Strand } from '../load/flow-data.ts';
import { Hatch } from './treemap.tsx';

type FlowProps = {
  readonly bundles: readonly Bundle[];
  readonly width: number;
  readonly isLog: boolean;
  readonly label: string;
  /** The page with the rows that strands link to, if it is another one. */
  readonly page?: string;
};

type Side = 'inputs' | 'outputs';
/** A strand with its thickness, the centre of its end at the edge, and the top of its end at the trunk. */
type Placed = { readonly strand: Strand; readonly color: number; readonly size: number; readonly edge: number; readonly trunk: number };

/** Widths in pixels below which labels are left out. */
const labelledWidth = 720;

/** Pixels below which a payment is hard to see. */
const visibleSize = 6;

/** Linear if every payment can be seen so; otherwise logarithmic, as beside a large change. */
export const fittingScale = (bundles: readonly Bundle[]): 'linear' | 'log' =>
  bundles.every(({ outputs }) => {
    const sizes = strandSizes(outputs, thicknessOf(bundles), false);
    return outputs.every(({ role, amount }, at) => role !== 'payment' || amount === 0n || (sizes[at] as number) >= visibleSize);
  })
    ? 'linear'
    : 'log';

/**
 * Inputs on the left, outputs on the right, a trunk between them. The width of a ribbon is its share of its asset. Payments are in full colour, change
 * is grey.
 */
export function Flow({ bundles, width, isLog, label, page = '' }: FlowProps) {
  const isLabelled = width >= labelledWidth;
  const { placed, slots, height, top, trunkHeight } = layOut(bundles, isLog, isLabelled);
  const edge = isLabelled ? 232 : 24;
  const trunkWidth = isLabelled ? 112 : 64;
  const left = (width - trunkWidth) / 2;
  return (
    <svg class="picture flow" viewBox={`0 0 ${width} ${height}`} width="100%" height={height} role="group" aria-label={label} data-arrows>
      <Hatch />
      {placed.inputs.map((one) => (
        <Ribbon one={one} from={edge} to={left} isLabelled={isLabelled} page={page} side="inputs" />
      ))}
      {placed.outputs.map((one) => (
        <Ribbon one={one} from={width - edge} to={left + trunkWidth} isLabelled={isLabelled} page={page} side="outputs" />
      ))}
      <path d={`M${left} ${top}H${left + trunkWidth - 9}L${left + trunkWidth} ${top + 9}V${top + trunkHeight}H${left}Z`} class="trunk" />
      {isLabelled &&
        slots.map(({ bundle, middle }) => (
          <>
            <text x={width / 2} y={middle - 3} class="trunk-title">
              {bundle.symbol}
            </text>
            <text x={width / 2} y={middle + 13} class="trunk-text">
              {bundle.total}
            </text>
          </>
        ))}
    </svg>
  );
}

/** Pixels of all ribbons of an asset together. */
const thicknessOf = (bundles: readonly Bundle[]): number => Math.max(20, Math.min(92, 190 / Math.max(1, bundles.length)));

function layOut(bundles: readonly Bundle[], isLog: boolean, isLabelled: boolean) {
  const thickness = thicknessOf(bundles);
  const sized = bundles.map((bundle) => {
    const sizes = (side: Side): number[] => strandSizes(bundle[side], thickness, isLog);
    const [inputs, outputs] = [sizes('inputs'), sizes('outputs')];
    return { bundle, inputs, outputs, height: Math.max(total(inputs), total(outputs), isLabelled ? 34 : 12) };
  });
  const gap = 10;
  const padding = 8;
  const trunkHeight = total(sized.map(({ height }) => height)) + gap * Math.max(0, sized.length - 1) + padding * 2;
  const rowOf = (size: number): number => Math.max(isLabelled ? 50 : 22, size + 14);
  const sideHeight = (side: Side): number => total(sized.flatMap((one) => one[side].map(rowOf)));
  const height = Math.ceil(Math.max(trunkHeight, sideHeight('inputs'), sideHeight('outputs')) + 16);
  const top = (height - trunkHeight) / 2;
  const place = (side: Side): Placed[] => {
    let edge = (height - sideHeight(side)) / 2;
    let slot = top + padding;
    return sized.flatMap(({ bundle, height: slotHeight, ...both }) => {
      let trunk = slot + (slotHeight - total(both[side])) / 2;
      slot += slotHeight + gap;
      return bundle[side].map((strand, at) => {
        const size = both[side][at] as number;
        const row = rowOf(size);
        const one = { strand, color: bundle.color, size, edge: edge + row / 2, trunk };
        edge += row;
        trunk += size;
        return one;
      });
    });
  };
  let slot = top + padding;
  const slots = sized.map(({ bundle, height: slotHeight }) => {
    const middle = slot + slotHeight / 2;
    slot += slotHeight + gap;
    return { bundle, middle };
  });
  return { placed: { inputs: place('inputs'), outputs: place('outputs') }, slots, height, top, trunkHeight };
}

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** Thickness by share of the asset, at least 2 px, of a payment 4. On a logarithmic scale a fee stays a line: it would look as large as a payment. */
function strandSizes(strands: readonly Strand[], thickness: number, isLog: boolean): number[] {
  const logarithm = ({ amount, role }: Strand): number => (role === 'fee' ? 0 : Math.log10(1 + Number(amount)));
  const weights = strands.map((strand) => (isLog ? logarithm(strand) : Number(strand.amount)));
  const all = total(weights);
  return weights.map((weight, at) => Math.max(strands[at]?.role === 'payment' ? 4 : 2, all === 0 ? 0 : (weight / all) * thickness));
}

function ribbonClass({ look, role }: Strand, color: number): string {
  if (look === 'burned' || role === 'change') return 'ribbon';
  return `ribbon ${role === 'payment' ? 'mark-fill' : 'fill'}-${color}`;
}

type RibbonProps = {
  readonly one: Placed;
  readonly from: number;
  readonly to: number;
  readonly isLabelled: boolean;
  readonly page: string;
  readonly side: Side;
};

function Ribbon({ one, from, to, isLabelled, page, side }: RibbonProps) {
  const { strand, color, size, edge, trunk } = one;
  const isLeft = side === 'inputs';
  const name = `strand ${strand.look === 'burned' ? 'burned' : (strand.role ?? 'input')}`;
  const middle = (from + to) / 2;
  const y = edge - size / 2;
  const band = `M${from} ${y}C${middle} ${y} ${middle} ${trunk} ${to} ${trunk}V${trunk + size}C${middle} ${trunk + size} ${middle} ${y + size} ${from} ${y + size}Z`;
  const textX = isLeft ? from - 12 : from + 12;
  const anchor = isLeft ? 'end' : 'start';
  const content = (
    <>
      <title>{`${strand.title}, ${strand.note}`}</title>
      <path d={band} class={ribbonClass(strand, color)} />
      {strand.look === 'locked' && <path d={band} fill="url(#hatch)" />}
      <rect
        x={isLeft ? from - 4 : from}
        y={y}
        width={4}
        height={size}
        class={strand.look === 'burned' || strand.role === 'change' ? 'cap' : `cap mark-fill-${color}`}
      />
      {isLabelled ? (
        <>
          <text x={textX} y={edge - 3} text-anchor={anchor} class={`strand-title${strand.title.includes('…') ? ' mono' : ''}`}>
            {strand.title}
          </text>
          <text x={textX} y={edge + 14} text-anchor={anchor} class="strand-text">
            {strand.note}
          </text>
        </>
      ) : (
        <text x={isLeft ? from - 9 : from + 9} y={edge + 4} text-anchor={anchor} class="strand-text">
          {strand.mark}
        </text>
      )}
    </>
  );
  return strand.href === undefined ? (
    <g class={name} role="img" aria-label={`${strand.title}, ${strand.note}`}>
      {content}
    </g>
  ) : (
    <a class={name} href={page + strand.href}>
      {content}
    </a>
  );
}
