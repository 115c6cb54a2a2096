/**
 * @avalabs/avalanche-wallet-sdk 0.19.1, the wallet library of 2021 to 2023. It builds with `avalanche` 3.16.0.
 *
 * | Story          | Through the SDK                                       | Cannot, and why                                            |
 * |----------------|-------------------------------------------------------|------------------------------------------------------------|
 * | connect        | getConfigFromUrl, setNetwork                          | LocalnetConfig: it has the C-Chain's ID of an older genesis |
 * | send           | SingletonWallet, updateUtxosX, sendAvaxX              |                                                            |
 * | NFT            | createNftFamily, mintNft                              |                                                            |
 * | export, import | exportXChain, getAtomicUTXOsC, importX                |                                                            |
 * | history        |                                                       | it asks an explorer of Ava Labs, which no node has         |
 *
 * Every story passes on AvalancheGo 1.14.2 too, with the same values.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { BN, getConfigFromUrl, LocalnetConfig, type NetworkConfig, SingletonWallet, setNetwork } from '@avalabs/avalanche-wallet-sdk';
import { avm, utils } from 'avalanche';
import { cb58Encode } from '../../../src/base/bytes/cb58.ts';
import { makeImportable } from './atomic.ts';
import { walletOf } from './avalanchejs.ts';
import { freshSecrets } from './keys.ts';
import { ewoqText, local, oneAvax } from './local-network.ts';
import { refusedHosts } from './loopback-only.ts';
import { errorMessageOf, type Node, openNode } from './node.ts';

let node: Node;
let network: NetworkConfig;
let ewoq: SingletonWallet;

beforeAll(async () => {
  node = await openNode();
  network = await getConfigFromUrl(node.url);
  setNetwork(network);
  ewoq = new SingletonWallet(ewoqText);
});
afterAll(async () => {
  await node.close();
  expect(refusedHosts).toEqual([]);
});

const singleton = (secret: Uint8Array) => new SingletonWallet(`PrivateKey-${cb58Encode(secret)}`);
const bn = (amount: bigint) => new BN(`${amount}`);

async function balanceOf(wallet: SingletonWallet): Promise<bigint> {
  await wallet.updateUtxosX();
  return BigInt(wallet.getAvaxBalanceX().unlocked.toString());
}

async function fund(to: SingletonWallet, amount: bigint): Promise<string> {
  await ewoq.updateUtxosX();
  return ewoq.sendAvaxX(to.getAddressX(), bn(amount), 'a wallet story');
}

const story = (name: string, run: (newSecret: () => Uint8Array) => Promise<void>) =>
  test(`avalanche-wallet-sdk: ${name}`, async () => run(await freshSecrets(node, `wallet-sdk/${name}`)), 60_000);

story('connects', async () => {
  const { networkID, xChainID, pChainID, cChainID, avaxID, evmChainID } = network;
  expect({ networkID, xChainID, pChainID, cChainID, avaxID, evmChainID }).toEqual({
    networkID: local.networkID,
    xChainID: local.xBlockchainID,
    pChainID: local.pBlockchainID,
    cChainID: local.cBlockchainID,
    avaxID: local.avaxAssetID,
    evmChainID: 43_112,
  });
  // Its own constants of the local network have all but this one.
  expect(LocalnetConfig).toMatchObject({ networkID, xChainID, avaxID, evmChainID });
  expect(LocalnetConfig.cChainID).not.toBe(cChainID);
  expect(ewoq.getAddressX()).toBe('X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u');
});

story('sends AVAX, which both wallets see', async (newSecret) => {
  const to = singleton(newSecret());
  const before = await balanceOf(ewoq);
  const txID = await fund(to, 2_500_000_000n);
  expect([await balanceOf(to), await balanceOf(ewoq)]).toEqual([2_500_000_000n, before - 2_500_000_000n - local.txFee]);
  const { tx } = await node.call<{ tx: { id: string; unsignedTx: { memo: string } } }>('/ext/bc/X', 'avm.getTx', {
    txID,
    encoding: 'json',
  });
  expect([tx.id, Buffer.from(tx.unsignedTx.memo.slice(2), 'hex').toString()]).toEqual([txID, 'a wallet story']);
  expect(await errorMessageOf(to.sendAvaxX(ewoq.getAddressX(), bn(3_000_000_000n)))).toContain('insufficient funds');
});

story('an NFT family, one NFT minted', async (newSecret) => {
  const maker = singleton(newSecret());
  await fund(maker, oneAvax);
  await maker.updateUtxosX();
  const family = await maker.createNftFamily('Wallet Family', 'WNFT', 1);
  await maker.updateUtxosX();
  const mint = maker.utxosX.getAllUTXOs().find((utxo) => utxo.getOutput().getOutputID() === avm.AVMConstants.NFTMINTOUTPUTID);
  await maker.mintNft(mint!, new utils.UTF8Payload('a wallet picture'), 1);
  await maker.updateUtxosX();
  const nfts = maker.utxosX.getAllUTXOs().filter((utxo) => utxo.getOutput().getOutputID() === avm.AVMConstants.NFTXFEROUTPUTID);
  expect(nfts).toHaveLength(1);
  expect((nfts[0]!.getOutput() as avm.NFTTransferOutput).getPayloadBuffer().toString()).toContain('a wallet picture');
  const { symbol } = await node.call<{ symbol: string }>('/ext/bc/X', 'avm.getAssetDescription', { assetID: family });
  expect(symbol).toBe('WNFT');
});

story('exports to C and P, which list the outputs', async (newSecret) => {
  const from = singleton(newSecret());
  await fund(from, oneAvax);
  await from.updateUtxosX();
  const onC = await from.exportXChain(bn(234_567_891n), 'C');
  const [there] = (await from.getAtomicUTXOsC('X')).getAllUTXOs();
  expect([cb58Encode(there!.getTxID()), there!.getOutput().getOutputID()]).toEqual([onC, avm.AVMConstants.SECPXFEROUTPUTID]);
  await from.exportXChain(bn(123_456_789n), 'P');
  expect((await from.getAtomicUTXOsP('X')).getAllUTXOs()).toHaveLength(1);
  expect(await balanceOf(from)).toBe(oneAvax - 234_567_891n - 123_456_789n - 2n * local.txFee);
});

story('has no history without an explorer', async () => {
  expect(await errorMessageOf(ewoq.getHistory())).toBe('Explorer API not found.');
});

for (const source of ['P', 'C'] as const)
  story(`imports from ${source}`, async (newSecret) => {
    const secret = newSecret();
    const to = singleton(secret);
    await makeImportable(node, source, walletOf(secret).address, oneAvax);
    await to.importX(source);
    expect(await balanceOf(to)).toBe(oneAvax - local.txFee);
    expect((await to.getAtomicUTXOsX(source)).getAllUTXOs()).toEqual([]);
  });
