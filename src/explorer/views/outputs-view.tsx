import type { Utxo } from '../../api/contract/answers.ts';
import { type OutputFilter, type OutputsData, outputsUrl } from '../load/load-outputs.ts';
import { outputType } from '../load/output-type.ts';
import type { ViewProps } from '../load/page-context.ts';
import { canvasOutput } from '../load/slim.ts';
import { plural, shortId } from '../text/text-format.ts';
import { zoneName } from '../text/zone-time.ts';
import { OutputCanvas } from './address-outputs.tsx';
import { OutputState } from './output-state.tsx';
import { AddressLink, AmountText, AssetLink, NextPage, PageHead, Panel, SaveMenu, Scroll, TxLink } from './parts.tsx';
import { TimeCell } from './time-text.tsx';

/** All outputs of an address as a table, with a picture of those that it shows. */
export function OutputsView({ data, context, now }: ViewProps<OutputsData>) {
  const { address, filter, utxos, next } = data;
  const unspent = utxos.filter((utxo) => utxo.consumingTxHash === undefined && utxo.consumedOnChainId === context.chain.id);
  return (
    <>
      <PageHead
        title="Outputs"
        line={
          <>
            of <AddressLink address={address} context={context} isPlain={false} />
          </>
        }
        id={address}
      />
      <Filters data={data} />
      <OutputCanvas
        outputs={unspent.map(canvasOutput)}
        context={context}
        now={now}
        title={`${plural(unspent.length, 'unspent output')} of this page`}
      />
      <Panel title={`${plural(utxos.length, 'output')} on this page`} side={<SaveMenu csv="outputs" />}>
        <Scroll>
          <table data-csv="outputs">
            <thead>
              <tr>
                <th>Output</th>
                <th class="number">
                  <SortLink by="amount" data={data}>
                    Amount
                  </SortLink>
                </th>
                <th>Owners</th>
                <th>Created by</th>
                <th>
                  <SortLink by="timestamp" data={data}>
                    {`Created, ${zoneName()}`}
                  </SortLink>
                </th>
                <th>State</th>
              </tr>
            </thead>
            <tbody>
              {utxos.map((utxo) => (
                <Row key={utxo.utxoId} utxo={utxo} context={context} now={now} />
              ))}
            </tbody>
          </table>
        </Scroll>
        {utxos.length === 0 && <p class="table-foot">No output fits these filters.</p>}
      </Panel>
      {next !== undefined && (
        <p class="pager">
          <NextPage href={outputsUrl(address, filter, {}, next)} list="outputs">
            More outputs
          </NextPage>
        </p>
      )}
    </>
  );
}

const Row = ({ utxo, context, now }: { utxo: Utxo } & Pick<ViewProps<OutputsData>, 'context' | 'now'>) => (
  <tr>
    <td>
      <a class="mono" href={`/output/${utxo.utxoId}`} title={utxo.utxoId}>
        {shortId(utxo.utxoId)}
      </a>
    </td>
    <td class="number line-1-end">
      {utxo.utxoType === 'mint' ? (
        <>
          may mint <AssetLink id={utxo.asset.assetId} symbol={utxo.asset.symbol} />
        </>
      ) : (
        <AmountText amount={{ ...utxo.asset, type: outputType(utxo) }} />
      )}
    </td>
    <td class="line-2">
      {utxo.addresses.length > 1 ? (
        `${utxo.threshold} of ${utxo.addresses.length}`
      ) : (
        <AddressLink address={utxo.addresses[0] ?? ''} context={context} />
      )}
    </td>
    <td class="line-3" data-name="Created by">
      {utxo.createdOnChainId === context.chain.id ? (
        <TxLink id={utxo.creationTxHash} />
      ) : (
        <span class="mono">{shortId(utxo.creationTxHash)}</span>
      )}
    </td>
    <td class="quiet line-3">
      <TimeCell time={utxo.timestamp} form="day" />
    </td>
    <td class="line-2-end">
      <OutputState utxo={utxo} context={context} now={now} />
    </td>
  </tr>
);

/** A column head that sorts by its column; again turns the order round. */
function SortLink({ by, data: { address, filter }, children }: { by: OutputFilter['sort']; data: OutputsData; children: string }) {
  const isChosen = filter.sort === by;
  const order = isChosen && filter.order === 'desc' ? 'asc' : 'desc';
  return (
    <a href={outputsUrl(address, filter, { sort: by, order })} data-in-place>
      {children}
      {isChosen && <span aria-hidden="true">{filter.order === 'desc' ? ' ↓' : ' ↑'}</span>}
    </a>
  );
}

function Filters({ data: { address, filter, assets } }: { data: OutputsData }) {
  const link = (change: Partial<OutputFilter>, word: string) => (
    <a
      href={outputsUrl(address, filter, change)}
      aria-current={Object.entries(change).every(([name, value]) => filter[name as keyof OutputFilter] === value) ? 'true' : undefined}
      data-in-place
    >
      {word}
    </a>
  );
  return (
    <div class="filters">
      <nav class="switch" aria-label="State">
        {link({ state: 'unspent' }, 'Unspent')}
        {link({ state: 'all' }, 'Unspent and spent')}
      </nav>
      <nav class="switch" aria-label="Owners">
        {link({ set: 'own' }, 'Spends alone')}
        {link({ set: 'shared' }, 'Owned with others')}
      </nav>
      {assets.length > 1 && (
        <nav class="switch" aria-label="Asset">
          {link({ asset: undefined }, 'All assets')}
          {assets.map(({ assetId, symbol }) => link({ asset: assetId }, symbol || shortId(assetId)))}
        </nav>
      )}
    </div>
  );
}
