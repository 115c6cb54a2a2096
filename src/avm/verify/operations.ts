import { idText } from '../../base/bytes/id.ts';
import type { UtxoRef } from '../tx/input.ts';
import { Operation } from '../tx/operation.ts';
import type { OperationTx } from '../tx/unsigned.ts';
import { utxoId } from '../tx/utxo.ts';
import { TxError } from './fault.ts';
import { compareRefs, verifyAssetID } from './flow.ts';
import { verifyValue } from './fx-table.ts';
import { firstUnsortedEncodedIndex, firstUnsortedIndex } from './order.ts';
import { verifyEach } from './verify-each.ts';

/**
 * Verifies each operation, then double spends, then the order. Two equal operations are therefore reported as a double spend.
 * AvalancheGo: vms/avm/txs/executor/syntactic_verifier.go, OperationTx; vms/avm/txs/operation.go.
 */
export function verifyOperations({ inputs, operations }: OperationTx): void {
  const spent = new Set(inputs.map(refKey));
  verifyEach('operations', operations, undefined, (operation) => {
    verifyOperation(operation);
    for (const ref of operation.inputIDs) {
      const key = refKey(ref);
      if (spent.has(key)) throw doubleSpend(ref);
      spent.add(key);
    }
  });
  const index = firstUnsortedEncodedIndex(Operation, operations, 'no equals');
  if (index >= 0) throw new TxError('operations not sorted and unique', { code: 'TX_OPERATIONS_NOT_SORTED', path: `operations[${index}]` });
}

function verifyOperation({ assetID, inputIDs, operation }: Operation): void {
  const index = firstUnsortedIndex(inputIDs, compareRefs);
  if (index >= 0) throw new TxError('utxo IDs not sorted and unique', { code: 'TX_UTXO_IDS_NOT_SORTED', index });
  verifyAssetID(assetID);
  verifyValue(operation);
}

const refKey = (ref: UtxoRef): string => `${ref.txID}${ref.outputIndex}`;

const doubleSpend = (ref: UtxoRef) =>
  new TxError('inputs attempt to double spend an input', {
    code: 'TX_DOUBLE_SPEND',
    utxoID: idText(utxoId(ref.txID, ref.outputIndex)),
  });
