import { idText } from '../bytes/id.ts';
import type { Credential } from '../tx/credential.ts';
import type { BaseTx } from '../tx/unsigned.ts';
import { TxError } from './fault.ts';
import { verifyValue } from './fx-table.ts';
import { each } from './place.ts';
import { limits, type Rules } from './rules.ts';

/** That a transaction is meant for this chain. Peer: vms/components/avax/base_tx.go. */
export function verifyBase({ networkID, blockchainID, memo }: BaseTx, rules: Rules): void {
  if (networkID !== rules.networkID)
    throw new TxError('tx has wrong network ID', { code: 'TX_WRONG_NETWORK', want: rules.networkID, got: networkID });
  if (blockchainID !== rules.chainID)
    throw new TxError('tx has wrong chain ID', { code: 'TX_WRONG_CHAIN', want: idText(rules.chainID), got: idText(blockchainID) });
  if (memo.length > limits.maxMemo)
    throw new TxError(`memo exceeds maximum length: ${memo.length} > ${limits.maxMemo}`, {
      code: 'TX_MEMO_TOO_LARGE',
      size: memo.length,
      max: limits.maxMemo,
    });
}

/** The slot takes any value (see tx/credential.ts), so each judges itself by its own rules; the spend finds out a wrong kind. */
export function verifyCredentials(credentials: readonly Credential[], want: number): void {
  each('credentials', credentials, verifyValue);
  const got = credentials.length;
  if (got !== want) throw new TxError(`wrong number of credentials: ${got} != ${want}`, { code: 'TX_CREDENTIAL_COUNT', want, got });
}
