import type { AssetAmount, Utxo } from '../../api/contract/answers.ts';
import { summaryAmountText } from '../../api/summary/sentence.ts';
import { outputType, sumType } from '../load/output-type.ts';
import { chainTitle, type PageContext } from '../load/page-context.ts';
import { isShared, type Signers } from '../load/tx-signers.ts';
import { payloadKind, payloadWord } from '../text/payload-kind.ts';
import { groupDigits } from '../text/text-format.ts';
import { Rows } from './in-parts.tsx';
import { OutputState } from './output-state.tsx';
import { AddressLink, AmountText, AssetLink, Panel, SaveMenu, TxLink } from './parts.tsx';
import { PayloadView } from './payload-view.tsx';

const totalsText = (totals: readonly AssetAmount[], utxos: readonly Utxo[]): string =>
  totals.map((total) => summaryAmountText({ ...total, type: sumType(total, utxos) })).join(' · ');

type OutputsProps = {
  readonly title: string;
  readonly utxos: readonly Utxo[];
  readonly totals: readonly AssetAmount[];
  readonly side: 'in' | 'out';
  /** Who signed the shared inputs. */
  readonly signers?: Signers;
  readonly context: PageContext;
  readonly now: number;
};

/** Rows of a side that are in sight; the others are folded. */
const rowsInSight = 20;

/** Outputs of one side of a transaction: all of them, so that they are in the HTML too. */
export function OutputsPanel({ title, utxos, totals, side, signers, context, now }: OutputsProps) {
  const rowOf = (utxo: Utxo, at: number) => (
    <OutputRow utxo={utxo} at={at} side={side} signers={signers?.[utxo.utxoId]} context={context} now={now} />
  );
  const folded = utxos.slice(rowsInSight);
  return (
    <Panel
      title={title}
      side={
        <>
          <span>{totalsText(totals, utxos)}</span>
          {utxos.length > 0 && <SaveMenu csv={title} />}
        </>
      }
    >
      <div class="outputs" data-csv={title} data-head="Index,Owners,State,Amount">
        <ol>
          <Rows>{utxos.slice(0, rowsInSight).map(rowOf)}</Rows>
        </ol>
        {folded.length > 0 && (
          <details>
            <summary>{groupDigits(folded.length)} more</summary>
            <ol start={rowsInSight + 1}>
              <Rows>{folded.map((utxo, at) => rowOf(utxo, rowsInSight + at))}</Rows>
            </ol>
          </details>
        )}
      </div>
      {utxos.length === 0 && <p class="table-foot">None.</p>}
    </Panel>
  );
}

type OutputRowProps = Pick<OutputsProps, 'side' | 'context' | 'now'> & {
  readonly utxo: Utxo;
  readonly at: number;
  readonly signers: readonly number[] | undefined;
};

const OutputRow = ({ utxo, at, side, signers, context, now }: OutputRowProps) => (
  <li id={`${side}-${at}`}>
    <a class="index" href={`/output/${utxo.utxoId}`}>
      {at}
    </a>
    <div class="owner">
      <p>
        {side === 'in' && isShared(utxo) ? (
          <SignedBy utxo={utxo} signers={signers} context={context} />
        ) : (
          <>
            {utxo.addresses.length > 1 && (
              <b>
                {utxo.threshold} of {utxo.addresses.length}{' '}
              </b>
            )}
            {utxo.addresses.length === 0 && <span class="quiet">no owner</span>}
            <Owners addresses={utxo.addresses} context={context} />
          </>
        )}
      </p>
      <p class="note">
        {side === 'in' ? <Origin utxo={utxo} context={context} /> : <OutputState utxo={utxo} context={context} now={now} />}
      </p>
      {utxo.payload !== undefined && (
        <div class="note payload">
          <p>
            group {utxo.groupId}, {payloadWord(payloadKind(utxo.payload))}, {(utxo.payload.length - 2) / 2} B
          </p>
          <PayloadView payload={utxo.payload} utxoId={utxo.utxoId} title={`${utxo.asset.symbol} #${utxo.groupId}`} />
        </div>
      )}
    </div>
    <span class="sum">
      {utxo.utxoType === 'mint' ? (
        <>
          may mint <AssetLink id={utxo.asset.assetId} symbol={utxo.asset.symbol} />
        </>
      ) : (
        <a class="plain" href={`/asset/${utxo.asset.assetId}`} title={utxo.asset.assetId}>
          <AmountText amount={{ ...utxo.asset, type: outputType(utxo) }} />
        </a>
      )}
    </span>
  </li>
);

const Owners = ({ addresses, context }: { addresses: readonly string[]; context: PageContext }) => (
  <>
    {addresses.map((address, at) => (
      <>
        {at > 0 && ', '}
        <AddressLink address={address} context={context} />
      </>
    ))}
  </>
);

type SignedByProps = { readonly utxo: Utxo; readonly signers: readonly number[] | undefined; readonly context: PageContext };

/** How many owners must sign a shared input, who signed it and who did not. */
function SignedBy({ utxo: { addresses, threshold }, signers, context }: SignedByProps) {
  const [signed, others] = [true, false].map((hasSigned) => addresses.filter((_, at) => signers?.includes(at) === hasSigned));
  return (
    <>
      <b>
        {threshold} of {addresses.length} must sign{' '}
      </b>
      {signers === undefined ? (
        <>
          <Owners addresses={addresses} context={context} /> <span class="quiet">(who signed is not known without the Node RPC)</span>
        </>
      ) : (
        <>
          <span class="signers">
            <span class="unspent">signed:</span> <Owners addresses={signed ?? []} context={context} />
          </span>
          {others?.length !== 0 && (
            <span class="signers quiet">
              did not sign: <Owners addresses={others ?? []} context={context} />
            </span>
          )}
        </>
      )}
    </>
  );
}

const Origin = ({ utxo, context }: { utxo: Utxo; context: PageContext }) => (
  <>
    output {utxo.outputIndex} of{' '}
    {utxo.createdOnChainId === context.chain.id ? (
      <TxLink id={utxo.creationTxHash} />
    ) : (
      <span class="mono">{utxo.creationTxHash.slice(0, 8)}…</span>
    )}
    {utxo.createdOnChainId !== context.chain.id && <> on {chainTitle(context, utxo.createdOnChainId)}</>}
  </>
);
