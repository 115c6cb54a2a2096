import { useEffect, useRef } from 'preact/hooks';
import { type GraphData, type GraphOutput, graphUrl, maxOpen } from '../load/graph-data.ts';
import { chainTitle, type PageContext, type ViewProps } from '../load/page-context.ts';
import { box, type GraphLayout, layOutGraph } from '../pictures/graph-layout.ts';
import { UtxoGraph } from '../pictures/utxo-graph.tsx';
import { dateText, plural, shortId } from '../text/text-format.ts';
import { AddressLink, AmountText, AssetLink, PageHead, Panel, SaveMenu, Scroll, TxLink } from './parts.tsx';
import { TableHead } from './table.tsx';

/** Outputs and transactions around one of them, expanded step by step. */
export function GraphView({ data, context, now }: ViewProps<GraphData>) {
  const layout = layOutGraph(data, context.chain.id);
  const isFull = data.open.length >= maxOpen;
  return (
    <>
      <PageHead
        title="UTXO graph"
        line={data.selected === undefined ? 'of a transaction' : 'of an output'}
        id={data.selected ?? data.root}
        buttons={
          <>
            <Step word="Ancestors" side="in" data={data} layout={layout} />
            <Step word="Descendants" side="out" data={data} layout={layout} />
            {data.open.length > 0 && (
              <a class="button" href={graphUrl(data.name, [])} data-in-place>
                Collapse all
              </a>
            )}
          </>
        }
      />
      <Panel
        weight="answer"
        title={`${plural(layout.nodes.filter(({ content }) => content.kind === 'tx').length, 'transaction')}`}
        side={
          <>
            <span class="wide-only">
              {isFull ? `${maxOpen} transactions are open, the most: open the graph of another one` : '+ expands, a box opens its page'}
            </span>
            <SaveMenu svg="graph" />
          </>
        }
      >
        <GraphPicture data={data} layout={layout} context={context} />
      </Panel>
      <OutputTable outputs={outputsOf(data)} selected={data.selected} context={context} now={now} />
    </>
  );
}

/** Expands all transactions at one edge of the picture, as far as the limit allows. */
function Step({ word, side, data, layout }: { word: string; side: 'in' | 'out'; data: GraphData; layout: GraphLayout }) {
  const closed = layout.nodes.flatMap(({ content }) =>
    content.kind === 'tx' && content.side === side && content.tx === undefined ? [content.id] : [],
  );
  const added = closed.slice(0, Math.max(0, maxOpen - data.open.length));
  if (added.length === 0) return null;
  return (
    <a class="button" href={graphUrl(data.name, [...data.open, ...added])} data-in-place>
      {word} +{added.length}
    </a>
  );
}

function GraphPicture({ data, layout, context }: { data: GraphData; layout: GraphLayout; context: PageContext }) {
  const ref = useRef<HTMLDivElement>(null);
  const root = layout.nodes.find(({ key }) => key === `tx ${data.root}`);
  // A picture that is wider than the window shows the root first.
  useEffect(() => {
    const element = ref.current?.querySelector('.scroll');
    if (element) element.scrollLeft = (root?.x ?? 0) + box.width / 2 - element.clientWidth / 2;
  }, [data.root]);
  return (
    <div ref={ref} class="padded" data-picture="graph">
      <Scroll>
        <UtxoGraph data={data} layout={layout} context={context} label="Outputs and transactions; the table below has the same facts" />
      </Scroll>
    </div>
  );
}

/** The outputs of the picture, each once. */
function outputsOf({ txs }: GraphData): GraphOutput[] {
  const byId = new Map(txs.flatMap(({ inputs, outputs }) => [...inputs, ...outputs]).map((output) => [output.id, output]));
  return [...byId.values()];
}

type TableProps = {
  readonly outputs: readonly GraphOutput[];
  readonly selected: string | undefined;
  readonly context: PageContext;
  readonly now: number;
};

const OutputTable = ({ outputs, selected, context, now }: TableProps) => (
  <Panel title={plural(outputs.length, 'output')} side={<SaveMenu csv="graph" />}>
    <Scroll>
      <table data-csv="graph">
        <TableHead columns={['Output', { number: 'Amount' }, 'Owner', 'Created by', 'Spent by']} />
        <tbody>
          {outputs.map((output) => (
            <tr class={output.id === selected ? 'selected' : ''}>
              <td>
                <a class="mono" href={`/output/${output.id}`} title={output.id}>
                  {shortId(output.id)}
                </a>
              </td>
              <td class="number line-1-end">
                {output.isMintRight ? (
                  <>
                    may mint <AssetLink id={output.asset.assetId} symbol={output.asset.symbol} />
                  </>
                ) : (
                  <AmountText amount={{ ...output.asset, type: output.type }} />
                )}
              </td>
              <td>
                <Owners output={output} context={context} />
                {output.locktime > now && <span class="locked"> locked until {dateText(output.locktime)}</span>}
              </td>
              <td data-name="Created by">
                <Side {...output.created} context={context} /> <small>output {output.index}</small>
              </td>
              <td>
                {output.isSpent ? (
                  <Side {...output.spent} context={context} />
                ) : output.spent.chain === context.chain.id ? (
                  <span class="unspent">unspent</span>
                ) : (
                  <span class="quiet">waits on {chainTitle(context, output.spent.chain)}</span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  </Panel>
);

function Owners({ output: { addresses, threshold }, context }: { output: GraphOutput; context: PageContext }) {
  if (addresses[0] === undefined) return <span class="quiet">no owner</span>;
  return (
    <>
      {addresses.length > 1 && (
        <b>
          {threshold} of {addresses.length}{' '}
        </b>
      )}
      <AddressLink address={addresses[0]} context={context} />
    </>
  );
}

/** A transaction at one end of an output: a link if it is of this chain. */
function Side({ id, chain, context }: { id: string | undefined; chain: string; context: PageContext }) {
  if (chain === context.chain.id) return id === undefined ? <span class="quiet">–</span> : <TxLink id={id} />;
  return (
    <span class="quiet" title={id}>
      {chainTitle(context, chain)}
    </span>
  );
}
