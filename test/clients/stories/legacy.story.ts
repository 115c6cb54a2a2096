/**
 * avalanche 3.16.0, the client before avalanchejs 4.
 *
 * | Story          | Through the client                                     | Cannot, and why                                           |
 * |----------------|--------------------------------------------------------|-----------------------------------------------------------|
 * | info           | InfoAPI, HealthAPI, MetricsAPI                         | getNodeIP: it sends info.getBlockchainID without an alias |
 * | send           | buildBaseTx, sign, issueTx, getTx                      |                                                           |
 * | multisig       | buildBaseTx with a threshold                           |                                                           |
 * | locktime       | buildBaseTx with asOf                                  |                                                           |
 * | assets         | buildCreateAssetTx, buildSECPMintTx                    |                                                           |
 * | NFT            | buildCreateNFTAssetTx, …MintTx, buildNFTTransferTx     |                                                           |
 * | property       | signs, sends                                           | it has no property type; built in own-tx.ts               |
 * | export, import | buildExportTx, buildImportTx, getUTXOs of P and C      |                                                           |
 * | wallet queue   | BaseTx on future outputs, callMethod on /wallet        |                                                           |
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { avm, BinTools, Buffer, common } from 'avalanche';
import { idOf, idText } from '../../../src/base/bytes/id.ts';
import { makeImportable } from './atomic.ts';
import { freshSecrets } from './keys.ts';
import { bn, type Client, creationFee, ewoq, mergeKeychains, ofKind, openClient, type Wallet, walletOf } from './legacy.ts';
import { errorMessages, futureLocktime, local, oneAvax, pastLocktime } from './local-network.ts';
import { errorMessageOf, type Node, openNode, waitForAccepted } from './node.ts';
import { mintAndBurnProperty } from './property.ts';

const { AVMConstants } = avm;
const bintools = BinTools.getInstance();

let node: Node;
let legacy: Client;

beforeAll(async () => {
  node = await openNode();
  legacy = openClient(node);
});
afterAll(() => node.close());

const story = (name: string, run: (newWallet: () => Wallet) => Promise<void>) =>
  test(`avalanche 3.16: ${name}`, async () => {
    const secrets = await freshSecrets(node, `legacy/${name}`);
    await run(() => walletOf(secrets()));
  }, 60_000);

story('context and info', async () => {
  const info = legacy.avalanche.Info();
  expect(await info.getNetworkID()).toBe('12345' as never);
  expect(await info.getNetworkName()).toBe('local');
  expect(await info.getBlockchainID('X')).toBe(local.xBlockchainID);
  expect(await info.getBlockchainID('P')).toBe(local.pBlockchainID);
  expect(await info.getBlockchainID('C')).toBe(local.cBlockchainID);
  expect((await info.getTxFee()).txFee.toString()).toBe(`${local.txFee}`);
  expect(await info.isBootstrapped('X')).toBe(true);
  expect(await info.getNodeID()).toMatch(/^NodeID-[1-9A-HJ-NP-Za-km-z]+$/);
  expect(await info.getNodeVersion()).toMatch(/^(serac\/\d+\.\d+\.\d+ )?avalanchego\/\d+\.\d+\.\d+$/);
  expect(await errorMessageOf(info.getNodeIP())).toBe('there is no ID with alias: ');
  expect(await info.peers()).toEqual([]);
  expect((await info.uptime()).rewardingStakePercentage).toMatch(/^\d{1,3}\.\d{4}$/);
  const health = await legacy.avalanche.Health().health();
  expect(health.healthy).toBe(true);
  expect(Object.keys(health.checks)).toContain('X');
  // This client requests the metrics with POST.
  expect(await legacy.avalanche.Metrics().getMetrics()).toContain('# TYPE ');

  expect(bintools.cb58Encode(await legacy.x.getAVAXAssetID())).toBe(local.avaxAssetID);
  const { name, symbol, denomination } = await legacy.x.getAssetDescription('AVAX');
  expect({ name, symbol, denomination: Number(denomination) }).toEqual({ name: 'Avalanche', symbol: 'AVAX', denomination: 9 });
});

story('sends AVAX and reads the transaction', async (newWallet) => {
  const to = newWallet();
  const amount = 2_718_281_828n;
  const before = await legacy.balance(ewoq);
  const names = [[to.addressOn('X')], [ewoq.addressOn('X')], [ewoq.addressOn('X')]] as const;
  const memo = Buffer.from('an old story');
  const unsigned = await legacy.x.buildBaseTx(
    await legacy.utxos(ewoq),
    bn(amount),
    local.avaxAssetID,
    ...(names as never as [[], [], []]),
    memo,
  );
  const txID = await legacy.issue(unsigned, ewoq.keychain);

  expect(await legacy.balance(to)).toBe(amount);
  expect(await legacy.balance(ewoq)).toBe(before - amount - local.txFee);
  expect(await legacy.x.getAllBalances(to.addressOn('X'))).toEqual([{ asset: 'AVAX', balance: `${amount}` }]);
  const held = (await legacy.utxos(to)).getAllUTXOs();
  expect(held.map((utxo) => bintools.cb58Encode(utxo.getTxID()))).toEqual([txID]);
  expect((held[0]!.getOutput() as avm.AmountOutput).getAmount().toString()).toBe(`${amount}`);

  const hex = (await legacy.x.getTx(txID)) as string;
  const tx = new avm.Tx();
  tx.fromBuffer(Buffer.from(hex.slice(2, -8), 'hex'));
  expect(tx.toStringHex()).toBe(hex);
  expect(tx.getUnsignedTx().getTransaction().getMemo().toString()).toBe('an old story');
  const json = (await legacy.x.getTx(txID, 'json')) as { id: string; unsignedTx: { outputs: { output: object }[] } };
  expect(json.id).toBe(txID);
  expect(json.unsignedTx.outputs.map(({ output }) => output)).toContainEqual({
    addresses: [to.addressOn('X')],
    amount: Number(amount),
    locktime: 0,
    threshold: 1,
  });
});

story('multisig, two of three', async (newWallet) => {
  const owners = [newWallet(), newWallet(), newWallet()].sort((a, b) => (a.address < b.address ? -1 : 1)) as [Wallet, Wallet, Wallet];
  const [first, , third] = owners;
  const to = newWallet();
  const sent = oneAvax / 4n;
  const funding = await legacy.pay(ewoq, owners, oneAvax, { threshold: 2 });
  expect(await legacy.balance(first)).toBe(0n);
  expect(await legacy.balance(first, 'AVAX', true)).toBe(oneAvax);
  const set = await legacy.utxos(third);
  const [utxo] = set.getAllUTXOs();

  const input = new avm.SECPTransferInput(bn(oneAvax));
  input.addSignatureIdx(0, first.bytes);
  const spent = new avm.TransferableInput(bintools.cb58Decode(funding), utxo!.getOutputIdx(), utxo!.getAssetID(), input);
  const change = new avm.TransferableOutput(utxo!.getAssetID(), new avm.SECPTransferOutput(bn(sent), [to.bytes]));
  const base = new avm.BaseTx(local.networkID, bintools.cb58Decode(local.xBlockchainID), [change], [spent]);
  expect(await errorMessageOf(legacy.issue(new avm.UnsignedTx(base), first.keychain))).toBe(errorMessages.tooFewSigners);

  const signers = [first.addressOn('X'), third.addressOn('X')];
  const unsigned = await legacy.x.buildBaseTx(set, bn(sent), local.avaxAssetID, [to.addressOn('X')], signers, [first.addressOn('X')]);
  await legacy.issue(unsigned, mergeKeychains(first, third));
  expect(await legacy.balance(to)).toBe(sent);
  expect(await legacy.balance(first)).toBe(oneAvax - sent - local.txFee);
});

story('locktime, past and future', async (newWallet) => {
  const [past, future, to] = [newWallet(), newWallet(), newWallet()];
  await legacy.pay(ewoq, [past], oneAvax, { locktime: pastLocktime });
  await legacy.pay(ewoq, [future], oneAvax, { locktime: futureLocktime });
  expect(await legacy.balance(past)).toBe(oneAvax);
  expect(await legacy.balance(future)).toBe(0n);
  expect(await legacy.balance(future, 'AVAX', true)).toBe(oneAvax);

  await legacy.pay(past, [to], 1_000n);
  expect(await legacy.balance(to)).toBe(1_000n);
  expect(await legacy.balance(past)).toBe(oneAvax - 1_000n - local.txFee);

  // The client spends a locked output only with a later asOf.
  const mine = [future.addressOn('X')];
  const set = await legacy.utxos(future);
  const early = await legacy.x.buildBaseTx(
    set,
    bn(1_000n),
    local.avaxAssetID,
    [to.addressOn('X')],
    mine,
    mine,
    undefined,
    bn(futureLocktime + 1n),
  );
  expect(await errorMessageOf(legacy.issue(early, future.keychain))).toBe(errorMessages.timeLocked);
});

story('a fixed and a variable cap asset', async (newWallet) => {
  const [maker, to] = [newWallet(), newWallet()];
  await legacy.fund(maker, oneAvax);
  const mine = [maker.addressOn('X')];
  const supply = (amount: bigint) => {
    const states = new avm.InitialStates();
    states.addOutput(new avm.SECPTransferOutput(bn(amount), [maker.bytes]));
    return states;
  };
  const create = async (amount: bigint, name: string, symbol: string, denomination: number, minters?: avm.SECPMintOutput[]) =>
    legacy.issue(
      await legacy.x.buildCreateAssetTx(await legacy.utxos(maker), mine, mine, supply(amount), name, symbol, denomination, minters),
      maker.keychain,
    );

  const fixed = await create(7_000n, 'Legacy Fixed', 'LFIX', 3);
  const described = await legacy.x.getAssetDescription(fixed);
  expect([described.name, described.symbol, Number(described.denomination)]).toEqual(['Legacy Fixed', 'LFIX', 3]);
  await legacy.pay(maker, [to], 2_500n, { asset: fixed });
  expect(await legacy.balance(to, fixed)).toBe(2_500n);
  expect(await legacy.balance(maker, fixed)).toBe(4_500n);

  const variable = await create(10n, 'Legacy Variable', 'LVAR', 0, [new avm.SECPMintOutput([maker.bytes])]);
  const set = await legacy.utxos(maker);
  const [mint] = ofKind(set, AVMConstants.SECPMINTOUTPUTID);
  const minted = new avm.SECPTransferOutput(bn(90n), [to.bytes]);
  const minting = await legacy.x.buildSECPMintTx(set, mint!.getOutput() as avm.SECPMintOutput, minted, mine, mine, mint!.getUTXOID());
  await legacy.issue(minting, maker.keychain);
  expect(await legacy.balance(to, variable)).toBe(90n);
  expect(await legacy.balance(maker, variable)).toBe(10n);
  expect(ofKind(await legacy.utxos(maker), AVMConstants.SECPMINTOUTPUTID)).toHaveLength(1);
  expect(await legacy.balance(maker)).toBe(oneAvax - 2n * creationFee - 2n * local.txFee);
});

story('an NFT asset, one NFT minted and transferred', async (newWallet) => {
  const [maker, to] = [newWallet(), newWallet()];
  await legacy.fund(maker, oneAvax);
  const mine = [maker.addressOn('X')];
  const minters = [new avm.MinterSet(1, [maker.bytes])];
  const family = await legacy.issue(
    await legacy.x.buildCreateNFTAssetTx(await legacy.utxos(maker), mine, mine, minters, 'Old Family', 'ONFT'),
    maker.keychain,
  );
  let set = await legacy.utxos(maker);
  const [mint] = ofKind(set, AVMConstants.NFTMINTOUTPUTID);
  const owners = new common.OutputOwners([maker.bytes]);
  const payload = Buffer.from('an old picture');
  const minting = await legacy.x.buildCreateNFTMintTx(set, owners, mine, mine, mint!.getUTXOID(), 0, payload);
  await legacy.issue(minting, maker.keychain);

  set = await legacy.utxos(maker);
  const [nft] = ofKind(set, AVMConstants.NFTXFEROUTPUTID);
  await legacy.issue(await legacy.x.buildNFTTransferTx(set, [to.addressOn('X')], mine, mine, nft!.getUTXOID()), maker.keychain);
  expect(ofKind(await legacy.utxos(maker), AVMConstants.NFTXFEROUTPUTID)).toEqual([]);
  const [received, ...others] = (await legacy.utxos(to)).getAllUTXOs();
  expect(others).toEqual([]);
  expect(bintools.cb58Encode(received!.getAssetID())).toBe(family);
  expect((received!.getOutput() as avm.NFTTransferOutput).getPayloadBuffer().toString()).toContain('an old picture');
});

story('a property, minted and burned', async (newWallet) => {
  const maker = newWallet();
  await legacy.fund(maker, oneAvax);
  const asset = await mintAndBurnProperty(node, maker, legacy.issueBytes);
  expect((await legacy.x.getAssetDescription(asset)).symbol).toBe('DEED');
  expect(await legacy.balance(maker)).toBe(oneAvax - local.createAssetTxFee - 2n * local.txFee);
});

story('exports to P and C, which list the outputs', async (newWallet) => {
  const from = newWallet();
  await legacy.fund(from, oneAvax);
  const mine = [from.addressOn('X')];
  const destinations = [
    { chain: 'P', id: local.pBlockchainID, api: legacy.avalanche.PChain(), amount: 123_456_789n },
    { chain: 'C', id: local.cBlockchainID, api: legacy.avalanche.CChain(), amount: 234_567_891n },
  ] as const;
  for (const { chain, id, api, amount } of destinations) {
    const set = await legacy.utxos(from);
    const unsigned = await legacy.x.buildExportTx(set, bn(amount), id, [from.addressOn(chain)], mine, mine);
    const txID = await legacy.issue(unsigned, from.keychain);
    const there = ((await api.getUTXOs([from.addressOn(chain)], local.xBlockchainID)).utxos as avm.UTXOSet).getAllUTXOs();
    expect(there.map((utxo) => bintools.cb58Encode(utxo.getTxID()))).toEqual([txID]);
    expect((there[0]!.getOutput() as avm.AmountOutput).getAmount().toString()).toBe(`${amount}`);
  }
  expect(await legacy.balance(from)).toBe(oneAvax - 123_456_789n - 234_567_891n - 2n * local.txFee);
});

for (const source of ['P', 'C'] as const)
  story(`imports from ${source}`, async (newWallet) => {
    const [from, to] = [newWallet(), newWallet()];
    await makeImportable(node, source, from.address, oneAvax);
    const mine = [from.addressOn('X')];
    const chainID = source === 'P' ? local.pBlockchainID : local.cBlockchainID;
    const unsigned = await legacy.x.buildImportTx(await legacy.utxos(from), mine, chainID, [to.addressOn('X')], mine, mine);
    await legacy.issue(unsigned, from.keychain);
    expect(await legacy.balance(to)).toBe(oneAvax - local.txFee);
    expect((await legacy.x.getUTXOs(mine, chainID)).utxos.getAllUTXOs()).toEqual([]);
  });

story('five dependent transactions through the wallet queue', async (newWallet) => {
  const owner = newWallet();
  await legacy.fund(owner, oneAvax);
  const assetID = bintools.cb58Decode(local.avaxAssetID);
  let [utxo] = (await legacy.utxos(owner)).getAllUTXOs();
  const sent: string[] = [];
  for (let step = 1n; step <= 5n; step++) {
    const set = new avm.UTXOSet();
    set.add(utxo!);
    const mine = [owner.addressOn('X')];
    const left = oneAvax - step * local.txFee;
    const tx = (await legacy.x.buildBaseTx(set, bn(left), local.avaxAssetID, mine, mine, mine)).sign(owner.keychain);
    const queued = await legacy.x.callMethod('wallet.issueTx', { tx: tx.toStringHex(), encoding: 'hex' }, '/ext/bc/X/wallet');
    const txID = idText(idOf(Uint8Array.from(tx.toBuffer())));
    expect(queued.data).toMatchObject({ result: { txID } });
    sent.push(txID);
    // The next transaction spends this output before it is accepted.
    utxo = new avm.UTXO(0, bintools.cb58Decode(txID), 0, assetID, new avm.SECPTransferOutput(bn(left), [owner.bytes]));
  }
  for (const txID of sent) await waitForAccepted(() => legacy.x.getTxStatus(txID));
  expect(await legacy.balance(owner)).toBe(oneAvax - 5n * local.txFee);
});
