/**
 * @avalabs/core-wallets-sdk 3.0.2, the library below the Core wallet. It builds with its own avalanchejs 4.0.5.
 *
 * | Story          | Through the SDK                                        | Cannot, and why                                     |
 * |----------------|--------------------------------------------------------|-----------------------------------------------------|
 * | connect        | JsonRpcProvider, addresses of three chains, getNonce   | fromBaseURL: it keeps the network's number as text, |
 * |                |                                                        | so that no node accepts the transactions            |
 * | send           | getUTXOs, getAssetBalance, baseTX, signTx, issueTx     |                                                     |
 * | export, import | exportX, getAtomicUTXOs, importX                       |                                                     |
 *
 * Every story passes on AvalancheGo 1.14.2 too, with the same values.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { Avalanche } from '@avalabs/core-wallets-sdk';
import { makeImportable } from './atomic.ts';
import { walletOf } from './avalanchejs.ts';
import { freshSecrets } from './keys.ts';
import { ewoqSecret, local, oneAvax } from './local-network.ts';
import { refusedHosts } from './loopback-only.ts';
import { errorMessageOf, type Node, openNode, waitForAccepted } from './node.ts';

let node: Node;
let provider: Avalanche.JsonRpcProvider;
let ewoq: Avalanche.StaticSigner;

beforeAll(async () => {
  node = await openNode();
  const context = (await Avalanche.JsonRpcProvider.fromBaseURL(node.url)).getContext();
  provider = new Avalanche.JsonRpcProvider(node.url, { ...context, networkID: Number(context.networkID) });
  ewoq = signerOf(ewoqSecret);
});
afterAll(async () => {
  await node.close();
  expect(refusedHosts).toEqual([]);
});

type UnsignedTx = ReturnType<Avalanche.StaticSigner['baseTX']>;

const signerOf = (secret: Uint8Array, by = provider) => new Avalanche.StaticSigner(Buffer.from(secret), Buffer.from(secret), by);
const balanceOf = async (wallet: Avalanche.StaticSigner) => Avalanche.getAssetBalance(await wallet.getUTXOs('X'), provider.getAvaxID());

/** Signs, sends, and waits until the transaction is accepted. */
async function issue(wallet: Avalanche.StaticSigner, tx: UnsignedTx): Promise<string> {
  await wallet.signTx({ tx });
  const { txID } = await provider.issueTx(tx.getSignedTx());
  await waitForAccepted(async () => (await provider.getApiX().getTxStatus({ txID })).status);
  return txID;
}

const send = async (from: Avalanche.StaticSigner, to: Avalanche.StaticSigner, amount: bigint): Promise<string> =>
  issue(from, from.baseTX(await from.getUTXOs('X'), 'X', to.getCurrentAddress('X'), { [provider.getAvaxID()]: amount }));

const story = (name: string, run: (newSecret: () => Uint8Array) => Promise<void>) =>
  test(`core-wallets-sdk: ${name}`, async () => run(await freshSecrets(node, `core/${name}`)), 60_000);

story('connects', async () => {
  expect([provider.getNetworkID(), provider.getHrp(), provider.getAvaxID()]).toEqual([local.networkID, local.hrp, local.avaxAssetID]);
  expect((['X', 'P', 'C'] as const).map((chain) => provider.getChainID(chain))).toEqual([
    local.xBlockchainID,
    local.pBlockchainID,
    local.cBlockchainID,
  ]);
  expect((['X', 'P', 'C'] as const).map((chain) => ewoq.getCurrentAddress(chain))).toEqual([
    'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u',
    'P-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u',
    'C-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u',
  ]);
  const sent = await node.call<string>('/ext/bc/C/rpc', 'eth_getTransactionCount', [ewoq.getAddressEVM(), 'latest']);
  expect(await ewoq.getNonce()).toBe(Number(sent));
});

story('cannot send with the context of fromBaseURL', async () => {
  const { networkID } = (await Avalanche.JsonRpcProvider.fromBaseURL(node.url)).getContext();
  expect(networkID).toBe('12345' as never);
  const wallet = signerOf(ewoqSecret, await Avalanche.JsonRpcProvider.fromBaseURL(node.url));
  expect(await errorMessageOf(send(wallet, wallet, 1n))).toBe('tx has wrong network ID');
});

story('sends AVAX and reads the transaction', async (newSecret) => {
  const to = signerOf(newSecret());
  const before = await balanceOf(ewoq);
  const txID = await send(ewoq, to, 2_500_000_000n);
  expect(await balanceOf(to)).toEqual({
    available: 2_500_000_000n,
    locked: 0n,
    lockedStakeable: 0n,
    multisig: 0n,
    total: 2_500_000_000n,
  });
  expect((await balanceOf(ewoq)).available).toBe(before.available - 2_500_000_000n - local.txFee);
  const [utxo] = (await to.getUTXOs('X')).getUTXOs();
  expect(utxo?.utxoId.txID.toString()).toBe(txID);
  expect(Avalanche.getUtxoInfo(utxo!)).toMatchObject({ amount: 2_500_000_000n, assetId: local.avaxAssetID, threshold: 1 });
});

story('exports to C and P, which list the outputs', async (newSecret) => {
  const from = signerOf(newSecret());
  await send(ewoq, from, oneAvax);
  for (const [chain, amount] of [
    ['C', 234_567_891n],
    ['P', 123_456_789n],
  ] as const) {
    const txID = await issue(from, from.exportX(amount, await from.getUTXOs('X'), chain));
    const there = (await from.getAtomicUTXOs(chain, 'X')).getUTXOs();
    expect(there.map((utxo) => [utxo.utxoId.txID.toString(), Avalanche.getUtxoInfo(utxo).amount])).toEqual([[txID, amount]]);
  }
  expect((await balanceOf(from)).available).toBe(oneAvax - 234_567_891n - 123_456_789n - 2n * local.txFee);
});

for (const source of ['P', 'C'] as const)
  story(`imports from ${source}`, async (newSecret) => {
    const secret = newSecret();
    const to = signerOf(secret);
    await makeImportable(node, source, walletOf(secret).address, oneAvax);
    await issue(to, to.importX(await to.getAtomicUTXOs('X', source), source));
    expect((await balanceOf(to)).available).toBe(oneAvax - local.txFee);
    expect((await to.getAtomicUTXOs('X', source)).getUTXOs()).toEqual([]);
  });

story('more than it has is refused by the SDK, a spent output by the node', async (newSecret) => {
  const [from, to] = [signerOf(newSecret()), signerOf(newSecret())];
  await send(ewoq, from, oneAvax);
  const utxos = await from.getUTXOs('X');
  const spend = (amount: bigint) => from.baseTX(utxos, 'X', to.getCurrentAddress('X'), { [provider.getAvaxID()]: amount });
  expect(() => spend(2n * oneAvax)).toThrow('insufficient funds (Burn Amount): need 1001000000 more units');
  await issue(from, spend(1n));
  expect(await errorMessageOf(issue(from, spend(2n)))).toContain('failed to get utxo');
});
