import { useEffect, useState } from 'preact/hooks';
import { maxWatched, type WatchData, type WatchRow } from '../load/load-watch.ts';
import { type PageContext, shortName, type ViewProps } from '../load/page-context.ts';
import { ageText, amountText, plural, shortId } from '../text/text-format.ts';
import { type SeenHeights, useActions } from './actions.ts';
import { AddressLink, Empty, PageHead, Panel, Scroll } from './parts.tsx';
import { TableHead } from './table.tsx';
import { Sentence } from './tx-table.tsx';

/** The URL of the page with a list of addresses. */
const watchUrl = (addresses: readonly string[]): string => (addresses.length === 0 ? '/watch' : `/watch?addresses=${addresses.join()}`);

/** Addresses that the reader watches: their balances, their newest transaction, and what is new since the last visit. */
export function WatchView({ data: { rows }, context, now }: ViewProps<WatchData>) {
  const actions = useActions();
  const [since, setSince] = useState<SeenHeights>({});
  const [isOpened, setOpened] = useState(false);
  const lists = rows.map(({ address, heights }) => `${address} ${heights[0] ?? 0}`).join();
  useEffect(() => {
    // A page without addresses in its URL shows those that this browser keeps.
    if (actions !== undefined && location.search === '' && actions.watched().length > 0)
      void actions.goTo(watchUrl(actions.watched())).then(() => setOpened(true));
    else setOpened(true);
  }, [actions]);
  useEffect(() => {
    if (rows.length > 0 && actions !== undefined)
      setSince(actions.seenHeights(Object.fromEntries(rows.map(({ address, heights }) => [address, heights[0] ?? 0]))));
  }, [lists]);
  const stop = (address: string): void => {
    actions?.watch(address, false);
    void actions?.goTo(watchUrl(rows.map((row) => row.address).filter((one) => one !== address)));
  };
  return (
    <>
      <PageHead
        title="Watch"
        line={
          rows.length === 0
            ? undefined
            : `${rows.length === 1 ? '1 address' : `${rows.length} addresses`} · the list is kept in this browser`
        }
      />
      <noscript>
        <p class="panel message">
          The list of watched addresses is kept in your browser and needs JavaScript. Without it, name addresses in the URL:
          /watch?addresses=X-…,X-…
        </p>
      </noscript>
      {rows.length === 0 && isOpened && (
        <Empty title="No address is watched">
          <p class="note">Open an address and press Watch. Up to {maxWatched} are listed here, with what came since your last visit.</p>
        </Empty>
      )}
      {rows.length > 0 && (
        <Panel title="Addresses" weight="answer">
          <Scroll>
            <table data-csv="watched" class="watched">
              <TableHead columns={['Address', 'Newest transaction', { number: 'Age' }, { number: 'Balance' }, { number: 'Watch' }]} />
              <tbody>
                {rows.map((row) => (
                  <WatchLine row={row} seen={since[row.address]} context={context} now={now} onStop={() => stop(row.address)} />
                ))}
              </tbody>
            </table>
          </Scroll>
        </Panel>
      )}
      {actions !== undefined && context.accountNames === undefined && <NamesPanel context={context} />}
    </>
  );
}

type WatchLineProps = {
  readonly row: WatchRow;
  /** Height up to which the reader has seen its transactions; undefined until the browser says so. */
  readonly seen: number | undefined;
  readonly context: PageContext;
  readonly now: number;
  readonly onStop: () => void;
};

function WatchLine({ row: { address, balances, newest, heights }, seen, context, now, onStop }: WatchLineProps) {
  const fresh = seen === undefined ? 0 : heights.filter((height) => height > seen).length;
  return (
    <tr key={address} class={fresh > 0 ? 'fresh-mark' : ''}>
      <td class="line-1">
        <AddressLink address={address} context={context} isPlain={false} />
        {fresh > 0 && <span class="chip ok new-count">{`${fresh}${fresh === heights.length && fresh > 24 ? '+' : ''} new`}</span>}
      </td>
      <td class="wide-cell line-2">
        {newest === undefined ? <span class="quiet">no transactions yet</span> : <Sentence summary={newest.summary} context={context} />}
      </td>
      <td class="number quiet line-2-end">
        {newest !== undefined && (
          <a class="quiet" href={`/tx/${newest.id}`} title={newest.id}>
            <span data-age={newest.time}>{ageText(now - newest.time)}</span> ago
          </a>
        )}
      </td>
      <td class="number line-1-end">
        {balances.length === 0 && <span class="quiet">nothing</span>}
        {balances.slice(0, 3).map(({ amount, denomination, symbol, assetId, type }) => (
          <div>
            {amountText(amount, type === 'nft' ? 0 : denomination)} <small>{symbol || shortId(assetId)}</small>
          </div>
        ))}
        {balances.length > 3 && <small class="quiet">and {balances.length - 3} more</small>}
      </td>
      <td class="number line-3">
        <button type="button" class="with-script" onClick={onStop} aria-label={`Stop watching ${shortName(context, address) ?? address}`}>
          Stop
        </button>
      </td>
    </tr>
  );
}

/** The names that the reader keeps, as a list and as a file. */
function NamesPanel({ context }: { context: PageContext }) {
  const actions = useActions();
  const [note, setNote] = useState('');
  const names = Object.entries(context.keptNames ?? {}).toSorted(([, a], [, b]) => a.localeCompare(b));
  const read = async (file: File | undefined): Promise<void> => {
    if (file !== undefined && actions !== undefined)
      setNote(file.size > 200_000 ? 'The file is too large.' : actions.importNames(await file.text()));
  };
  return (
    <Panel
      title="Names you gave"
      side={
        <>
          <span>{names.length === 0 ? 'kept in this browser' : plural(names.length, 'name')}</span>
          {names.length > 0 && (
            <a
              class="button"
              download="serac-names.json"
              href={`data:application/json,${encodeURIComponent(JSON.stringify(context.keptNames, null, 2))}`}
            >
              Export
            </a>
          )}
          <label class="button">
            Import
            <input
              type="file"
              accept="application/json,.json"
              class="hidden"
              onChange={({ currentTarget }) => void read(currentTarget.files?.[0])}
            />
          </label>
        </>
      }
    >
      {names.length > 0 && (
        <Scroll>
          <table data-csv="names">
            <TableHead columns={['Name', 'Address', { number: 'Keep' }]} />
            <tbody>
              {names.map(([address, name]) => (
                <tr key={address}>
                  <td>
                    <b>{name}</b>
                  </td>
                  <td>
                    <AddressLink address={address} context={{ ...context, keptNames: undefined }} isPlain={false} />
                  </td>
                  <td class="number">
                    <button type="button" onClick={() => actions?.keepName(address, '')} aria-label={`Forget ${name}`}>
                      Forget
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      <p class="table-foot" role="status">
        {note}
        {names.length === 0 && note === '' && 'Open an address and press Name it: the name then stands in every list.'}
      </p>
    </Panel>
  );
}
