import type { AssetAmount, Utxo } from '../../api/contract/answers.ts';
import { summaryAmountText } from '../../api/summary/sentence.ts';
import { outputType, sumType } from '../load/output-type.ts';
import { chainTitle, type PageContext } from '../load/page-context.ts';
import { payloadKind, payloadWord } from '../text/payload-kind.ts';
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
  readonly context: PageContext;
  readonly now: number;
};

/** Outputs of one side of a transaction: all of them, so that they are in the HTML too. */
export const OutputsPanel = ({ title, utxos, totals, side, context, now }: OutputsProps) => (
  <Panel
    title={title}
    side={
      <>
        <span>{totalsText(totals, utxos)}</span>
        {utxos.length > 0 && <SaveMenu csv={title} />}
      </>
    }
  >
    <ol class="outputs" data-csv={title} data-head="Index,Owners,State,Amount">
      <Rows>
        {utxos.map((utxo, at) => (
          <li id={`${side}-${at}`}>
            <a class="index" href={`/output/${utxo.utxoId}`}>
              {at}
            </a>
            <div class="owner">
              <p>
                {utxo.addresses.length > 1 && (
                  <b>
                    {utxo.threshold} of {utxo.addresses.length}{' '}
                  </b>
                )}
                {utxo.addresses.length === 0 && <span class="quiet">no owner</span>}
                {utxo.addresses.map((address) => (
                  <>
                    <AddressLink address={address} context={context} />{' '}
                  </>
                ))}
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
        ))}
      </Rows>
    </ol>
    {utxos.length === 0 && <p class="table-foot">None.</p>}
  </Panel>
);

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
