import type { Utxo } from '../../api/contract/answers.ts';
import { chainTitle, type PageContext } from '../load/page-context.ts';
import { spanText } from '../text/text-format.ts';
import { TxLink } from './parts.tsx';
import { TimeText } from './time-text.tsx';

/** What became of an output: its lock if it has one, and the transaction that spent it. */
export function OutputState({ utxo, context, now }: { utxo: Utxo; context: PageContext; now: number }) {
  const { locktime, consumingTxHash, consumingTxTimestamp, consumedOnChainId, mayBeImported } = utxo;
  const isExported = consumedOnChainId !== context.chain.id;
  const isSpent = consumingTxHash !== undefined || consumingTxTimestamp !== undefined;
  return (
    <>
      {locktime > now && !isSpent && (
        <span class="locked">
          locked until <TimeText time={locktime} /> · <span data-until={locktime}>{spanText(locktime - now)}</span> left
        </span>
      )}
      {locktime > 0 && locktime <= now && !isSpent && (
        <span>
          its lock ended <TimeText time={locktime} />
        </span>
      )}
      {locktime > 0 && !isSpent && ' · '}
      {consumingTxHash !== undefined && !isExported && (
        <span>
          spent by <TxLink id={consumingTxHash} />
        </span>
      )}
      {!isSpent && !isExported && <span class="unspent">unspent</span>}
      {isExported && (
        <span>
          {consumingTxTimestamp !== undefined ? 'imported by' : mayBeImported ? 'exported to' : 'waits on'}{' '}
          {chainTitle(context, consumedOnChainId)}
        </span>
      )}
    </>
  );
}
