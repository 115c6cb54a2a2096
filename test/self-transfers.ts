import { effectsOf } from '../src/avm/tx/effects.ts';
import type { Tx } from '../src/avm/tx/tx.ts';
import type { Utxo } from '../src/avm/tx/utxo.ts';
import { formatHex } from '../src/base/bytes/hex.ts';
import { idText } from '../src/base/bytes/id.ts';
import type { Client } from './http.ts';
import { baseTx, createWallet, ewoq, ewoqGenesisUtxo, type Key, localChainParams, ownedBy, signDraft, transfer } from './wallet-kit.ts';

/** Sends from the funded key of a new local network, one transaction after the other. */
export function createSelfTransfers(seed: string) {
  const wallet = createWallet(seed, { keys: [ewoq], count: 3 });
  let utxo: Utxo = ewoqGenesisUtxo;
  const next = (to: Key = wallet.keys[1] as Key, outputs = 1): Tx => {
    const tx = signDraft(
      baseTx(
        wallet,
        { utxos: [utxo] },
        Array.from({ length: outputs }, (_, i) => transfer(localChainParams.feeAsset, BigInt(5 + i), ownedBy([to]))),
      ),
    );
    // The change is the only output of the funded key.
    utxo = effectsOf(tx).created.find(({ output }) => output.addresses.includes(ewoq.address)) as Utxo;
    return tx;
  };
  /** Issues transactions and waits until each is accepted. */
  const send = async (client: Client, count: number, to?: Key, outputs?: number): Promise<string[]> => {
    const ids: string[] = [];
    for (let i = 0; i < count; i++) {
      const tx = next(to, outputs);
      const { error } = await client.call('/ext/bc/X', 'avm.issueTx', { tx: formatHex('hex', tx.bytes), encoding: 'hex' });
      if (error !== undefined) throw new Error(error.message);
      const txID = idText(tx.id);
      for (let status: string | undefined; status !== 'Accepted'; ) {
        const { result } = await client.call('/ext/bc/X', 'avm.getTxStatus', { txID });
        status = (result as { status?: string } | undefined)?.status;
      }
      ids.push(txID);
    }
    return ids;
  };
  return { wallet, next, send };
}
