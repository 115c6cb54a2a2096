import { idText } from '../../base/bytes/id.ts';
import type { Credential } from '../tx/credential.ts';
import type { BaseTx } from '../tx/unsigned.ts';
import { TxError } from './fault.ts';
import { verifyValue } from './fx-table.ts';
import { limits, type Rules } from './rules.ts';
import { verifyEach } from './verify-each.ts';

/** Checks network ID, chain ID and memo length. AvalancheGo: vms/components/avax/base_tx.go. */
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

/**
 * Verifies each credential by the rules of its own type, then their number. The wire format allows any type here (see avm/tx/credential.ts);
 * a wrong type is detected later, by verifySpend.
 */
export function verifyCredentials(credentials: readonly Credential[], want: number): void {
  verifyEach('credentials', credentials, undefined, verifyValue);
  const got = credentials.length;
  if (got !== want) throw new TxError(`wrong number of credentials: ${got} != ${want}`, { code: 'TX_CREDENTIAL_COUNT', want, got });
}
