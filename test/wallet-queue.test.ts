import { expect, test } from 'bun:test';
import { makeTx, type Tx } from '../src/avm/tx/tx.ts';
import { formatHex } from '../src/base/bytes/hex.ts';
import { type Id, idText, zeroId } from '../src/base/bytes/id.ts';
import { startDevNode } from './dev-node.ts';

const asset = 'aa'.repeat(32) as Id;

/** Returns a transaction of unknown outputs with wrong signatures; 161 bytes for each input and its signature. */
const wrongTx = (number: number, inputs: number): Tx =>
  makeTx(
    {
      kind: 'BaseTx',
      networkID: 12345,
      blockchainID: zeroId,
      outputs: [],
      memo: Buffer.from(String(number)),
      inputs: Array.from({ length: inputs }, (_, i) => ({
        txID: asset,
        outputIndex: i,
        assetID: asset,
        input: { kind: 'secp256k1fx.TransferInput', amount: 1n, signatureIndices: [0] },
      })),
    },
    Array.from({ length: inputs }, () => ({ kind: 'secp256k1fx.Credential', signatures: [new Uint8Array(65).fill(1)] })),
  );

test('wrong transactions fill the wallet queue up to 64 MiB; a snapshot of it is saved and restored', async () => {
  const node = await startDevNode('in memory', '--no-mining', '--workers=0');
  try {
    const call = async (tx: Tx) =>
      (await node.program().client.call('/ext/bc/X/wallet', 'wallet.issueTx', { tx: formatHex('hex', tx.bytes) })) as {
        readonly error?: { readonly data: { readonly code: string; readonly available: number } };
      };
    // The first one goes to the mempool, where 64 KiB is the limit; the others wait for it.
    expect((await call(wrongTx(0, 1))).error).toBeUndefined();
    let number = 1;
    let refusal: Awaited<ReturnType<typeof call>>['error'];
    for (; number < 400 && refusal === undefined; number++) refusal = (await call(wrongTx(number, 1_600))).error;
    expect(refusal?.data).toMatchObject({ code: 'WALLET_QUEUE_FULL' });
    expect(refusal?.data.available).toBeLessThan(wrongTx(number, 1_600).bytes.length);
    await node.dev('dev.snapshot', { name: 'full' });
    await node.dev('dev.reset');
    const statusOf = async (tx: Tx): Promise<string> => {
      const { result } = await node.program().client.call('/ext/bc/X', 'avm.getTxStatus', { txID: idText(tx.id) });
      return (result as unknown as { status: string }).status;
    };
    const lastQueued = wrongTx(number - 2, 1_600);
    expect(await statusOf(lastQueued)).toBe('Unknown');
    await node.dev('dev.revert', { name: 'full' });
    expect([await statusOf(wrongTx(0, 1)), await statusOf(lastQueued)]).toEqual(['Processing', 'Processing']);
    expect((await call(wrongTx(number, 1_600))).error?.data).toMatchObject({ code: 'WALLET_QUEUE_FULL' });
  } finally {
    await node.stop();
  }
});
