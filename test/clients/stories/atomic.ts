import { addTxSignatures, Context, evm, pvm, secp256k1, TransferableOutput, utils } from '@avalabs/avalanchejs';
import { makeUtxo } from '../../../src/avm/tx/utxo.ts';
import type { Address } from '../../../src/base/bytes/address.ts';
import { sha256Hex } from '../../../src/base/bytes/hash.ts';
import { formatHex, fromHex } from '../../../src/base/bytes/hex.ts';
import { type Id, parseId } from '../../../src/base/bytes/id.ts';
import { ewoqSecret, local } from './local-network.ts';
import { type Node, waitForAccepted } from './node.ts';
import { ownedBy } from './own-tx.ts';

export type Source = 'P' | 'C';

/** Puts AVAX into shared memory for an import to X: with `dev.addAtomicUTXO` on Serac, with a real export on AvalancheGo. */
export async function makeImportable(node: Node, source: Source, to: Address, amount: bigint): Promise<void> {
  if (await node.hasDev()) await addAtomicUtxo(node, source, to, amount);
  else await exportFrom[source](node, fromHex(to), amount);
}

async function addAtomicUtxo(node: Node, source: Source, to: Address, amount: bigint): Promise<void> {
  // There is no exporting transaction; any unused ID works.
  const txID = sha256Hex(Buffer.from(`${source}/${to}`)) as Id;
  const output = { kind: 'secp256k1fx.TransferOutput' as const, amount, ...ownedBy(to) };
  const utxo = makeUtxo(txID, 0, parseId(local.avaxAssetID), output);
  await node.call('/ext/dev', 'dev.addAtomicUTXO', { sourceChain: source, utxo: formatHex('hex', utxo.bytes) });
}

const ewoqKey = secp256k1.getPublicKey(ewoqSecret);

const exportFrom: Record<Source, (node: Node, to: Uint8Array, amount: bigint) => Promise<void>> = {
  P: async (node, to, amount) => {
    const p = new pvm.PVMApi(node.url);
    const ewoq = secp256k1.publicKeyBytesToAddress(ewoqKey);
    const { utxos } = await p.getUTXOs({ addresses: [utils.format('P', local.hrp, ewoq)] });
    const unsignedTx = pvm.newExportTx(
      {
        destinationChainId: local.xBlockchainID,
        feeState: await p.getFeeState(),
        fromAddressesBytes: [ewoq],
        outputs: [TransferableOutput.fromNative(local.avaxAssetID, amount, [to])],
        utxos,
      },
      await Context.getContextFromURI(node.url),
    );
    await addTxSignatures({ unsignedTx, privateKeys: [ewoqSecret] });
    const { txID } = await p.issueSignedTx(unsignedTx.getSignedTx());
    await waitForAccepted(async () => (await p.getTxStatus({ txID })).status);
  },
  C: async (node, to, amount) => {
    const c = new evm.EVMApi(node.url);
    const ewoq = secp256k1.publicKeyToEthAddress(ewoqKey);
    const nonce = await node.call<string>('/ext/bc/C/rpc', 'eth_getTransactionCount', [utils.bufferToHex(ewoq), 'latest']);
    const baseFee = (await c.getBaseFee()) / 1_000_000_000n + 1n;
    const context = await Context.getContextFromURI(node.url);
    const unsignedTx = evm.newExportTxFromBaseFee(context, baseFee, amount, local.xBlockchainID, ewoq, [to], BigInt(nonce));
    await addTxSignatures({ unsignedTx, privateKeys: [ewoqSecret] });
    const { txID } = await c.issueSignedTx(unsignedTx.getSignedTx());
    await waitForAccepted(async () => (await c.getAtomicTxStatus(txID)).status);
  },
};
