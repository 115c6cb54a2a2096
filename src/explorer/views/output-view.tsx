import type { Utxo } from '../../api/contract/answers.ts';
import type { OutputData } from '../load/load-output.ts';
import { outputType } from '../load/output-type.ts';
import { chainPath, chainTitle, type PageContext, type ViewProps } from '../load/page-context.ts';
import { payloadKind, payloadWord } from '../text/payload-kind.ts';
import { shortId } from '../text/text-format.ts';
import { zoneName } from '../text/zone-time.ts';
import { OutputState } from './output-state.tsx';
import { AddressLink, AmountText, AssetLink, BlockLink, Chip, CopyAs, Facts, PageHead, Panel, SaveMenu, Scroll, TxLink } from './parts.tsx';
import { PayloadView } from './payload-view.tsx';
import { TableHead } from './table.tsx';
import { TimeCell, TimeText } from './time-text.tsx';

/** One output: what it holds, who owns it, what created and spent it. For an NFT also its owners over time. */
export function OutputView({ data: { utxo, createdIn, spentIn, owners, hasMoreOwners }, context, now, origin }: ViewProps<OutputData>) {
  const { asset, utxoId, payload } = utxo;
  const isSpent = utxo.consumingTxHash !== undefined || utxo.consumingTxTimestamp !== undefined;
  const isExported = utxo.consumedOnChainId !== context.chain.id;
  const isNft = owners.length > 0;
  return (
    <>
      <PageHead
        title={isNft ? `${asset.name || asset.symbol} #${utxo.groupId}` : 'Output'}
        chip={isSpent ? <Chip tone="plain">spent</Chip> : <Chip tone="ok">{isExported ? 'exported' : 'unspent'}</Chip>}
        line={
          <>
            {isNft && 'NFT, '}output {utxo.outputIndex} of{' '}
            {utxo.createdOnChainId === context.chain.id ? <TxLink id={utxo.creationTxHash} /> : shortId(utxo.creationTxHash)}
          </>
        }
        id={utxoId}
        buttons={
          <>
            <CopyAs origin={origin} path={`${chainPath(context)}/utxos/${utxoId}`} />
            <a class="button" href={`/graph/${utxoId}`}>
              UTXO graph
            </a>
          </>
        }
      />
      <Facts
        columns={2}
        facts={[
          {
            name: 'Holds',
            value:
              utxo.utxoType === 'mint' ? (
                <>
                  the right to mint <AssetLink id={asset.assetId} symbol={asset.symbol} />
                </>
              ) : (
                <>
                  <AmountText amount={{ ...asset, type: outputType(utxo) }} />{' '}
                  <small>
                    <AssetLink id={asset.assetId} symbol={asset.name || asset.symbol} />
                  </small>
                </>
              ),
          },
          {
            name:
              utxo.addresses.length > 1
                ? `Owners, ${utxo.threshold} of ${utxo.addresses.length} must sign`
                : isSpent
                  ? 'Last owner'
                  : 'Owner',
            value: <Owners utxo={utxo} context={context} />,
          },
          {
            name: 'Created',
            value:
              createdIn === undefined ? (
                chainTitle(context, utxo.createdOnChainId)
              ) : (
                <>
                  block <BlockLink height={createdIn} />
                </>
              ),
            note: <TimeText time={utxo.timestamp} />,
          },
          {
            name: 'State',
            value: <OutputState utxo={utxo} context={context} now={now} />,
            note:
              utxo.consumingTxTimestamp === undefined ? undefined : (
                <>
                  {spentIn !== undefined && (
                    <>
                      block <BlockLink height={spentIn} />,{' '}
                    </>
                  )}
                  <TimeText time={utxo.consumingTxTimestamp} />
                </>
              ),
          },
        ]}
      />
      {payload !== undefined && (
        <Panel title="Payload" side={<span>{`${payloadWord(payloadKind(payload))}, ${(payload.length - 2) / 2} B`}</span>}>
          <div class="padded payload">
            <PayloadView payload={payload} utxoId={utxoId} title={`${asset.symbol} #${utxo.groupId}`} />
          </div>
        </Panel>
      )}
      {isNft && <NftOwners owners={owners} current={utxoId} hasMore={hasMoreOwners} context={context} />}
    </>
  );
}

const Owners = ({ utxo, context }: { utxo: Utxo; context: PageContext }) => (
  <>
    {utxo.addresses.length === 0 && 'nobody'}
    {utxo.addresses.map((address) => (
      <div>
        <AddressLink address={address} context={context} isPlain={false} />
      </div>
    ))}
  </>
);

type OwnersProps = { readonly owners: readonly Utxo[]; readonly current: string; readonly hasMore: boolean; readonly context: PageContext };

/** Who had an NFT, newest first: the first row is its owner if that output is unspent. */
const NftOwners = ({ owners, current, hasMore, context }: OwnersProps) => (
  <Panel title="Owners over time" side={<SaveMenu csv="owners" />}>
    <Scroll>
      <table data-csv="owners" class="even">
        <TableHead columns={['Owner', `Since, ${zoneName()}`, 'By transaction', 'Output']} />
        <tbody>
          {owners.toReversed().map((one) => (
            <tr>
              <td>
                {one.addresses.length > 1 && <b>{`${one.threshold} of ${one.addresses.length} `}</b>}
                {one.addresses.map((address) => (
                  <>
                    <AddressLink address={address} context={context} />{' '}
                  </>
                ))}
                {one.consumingTxHash === undefined && <Chip tone="ok">owner now</Chip>}
              </td>
              <td class="quiet">
                <TimeCell time={one.timestamp} form="day" />
              </td>
              <td>
                <TxLink id={one.creationTxHash} />
              </td>
              <td>
                {one.utxoId === current ? (
                  'this output'
                ) : (
                  <a class="mono" href={`/output/${one.utxoId}`} title={one.utxoId}>
                    {shortId(one.utxoId)}
                  </a>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
    {hasMore && <p class="table-foot">It was moved more often; open the first or last output to see more.</p>}
  </Panel>
);
