/**
 * @avalabs/avalanchejs 5.2.0.
 *
 * | Story          | Through the client                                  | Cannot, and why                                              |
 * |----------------|-----------------------------------------------------|--------------------------------------------------------------|
 * | info           | Context, InfoApi                                    | health: no such API; isBootstrapped: it sends info.peers     |
 * | send           | builder, signer, issue, getTx decoded and JSON      |                                                              |
 * | multisig       | builder, signer                                     |                                                              |
 * | locktime       | builder with minIssuanceTime                        |                                                              |
 * | assets         | CreateAssetTx from its types, getAssetDescription   | mint: TransferableOp is not exported; built in own-tx.ts     |
 * | NFT            | signs, sends, decodes outputs and transactions      | no NFT type is exported; built in own-tx.ts                  |
 * | property       | signs, sends                                        | its codec has no property types; built in own-tx.ts          |
 * | export, import | builders, getUTXOs of P and C with sourceChain      |                                                              |
 * | wallet queue   | builder on future outputs, AvaxApi on /wallet       |                                                              |
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  addTxSignatures,
  avaxSerial,
  avm,
  avmSerial,
  BigIntPr,
  Byte,
  Common,
  Credential,
  Id,
  Int,
  MintOutput,
  OutputOwners,
  Signature,
  Stringpr,
  TransferableInput,
  TransferableOutput,
  TransferOutput,
  UnsignedTx,
  Utxo,
  utils,
} from '@avalabs/avalanchejs';
import { parseId } from '../../../src/base/bytes/id.ts';
import { makeImportable } from './atomic.ts';
import { avaxOutput, type Client, ewoq, openClient, type Wallet, walletOf } from './avalanchejs.ts';
import { freshSecrets, hexOf } from './keys.ts';
import { errorMessages, futureLocktime, local, oneAvax, pastLocktime } from './local-network.ts';
import { errorMessageOf, type Node, openNode, waitForAccepted } from './node.ts';
import { createAssetTx, operationTx, ownedBy } from './own-tx.ts';
import { mintAndBurnProperty } from './property.ts';

let node: Node;
let js: Client;

beforeAll(async () => {
  node = await openNode();
  js = await openClient(node);
});
afterAll(() => node.close());

const story = (name: string, run: (newWallet: () => Wallet) => Promise<void>) =>
  test(`avalanchejs: ${name}`, async () => {
    const secrets = await freshSecrets(node, `avalanchejs/${name}`);
    await run(() => walletOf(secrets()));
  }, 60_000);

story('context and info', async () => {
  const { platformFeeConfig, ...rest } = js.context;
  expect(rest).toEqual({
    networkID: local.networkID,
    hrp: local.hrp,
    xBlockchainID: local.xBlockchainID,
    pBlockchainID: local.pBlockchainID,
    cBlockchainID: local.cBlockchainID,
    avaxAssetID: local.avaxAssetID,
    baseTxFee: local.txFee,
    createAssetTxFee: local.createAssetTxFee,
  });
  expect(platformFeeConfig.minPrice).toBe(1n);
  expect(platformFeeConfig.maxCapacity).toBe(1_000_000n);

  expect(await js.info.getNetworkId()).toEqual({ networkID: '12345' });
  expect(await js.info.getNetworkName()).toEqual({ networkName: 'local' });
  const version = await js.info.getNodeVersion();
  expect(version.version).toMatch(/^(serac\/\d+\.\d+\.\d+ )?avalanchego\/\d+\.\d+\.\d+$/);
  expect(version.databaseVersion).toBe('v1.4.5');
  expect(Object.keys(version.vmVersions).sort()).toEqual(['avm', 'evm', 'platform']);
  const { nodeID, nodePOP } = await js.info.getNodeId();
  expect(nodeID).toMatch(/^NodeID-[1-9A-HJ-NP-Za-km-z]+$/);
  expect(nodePOP.publicKey).toMatch(/^0x[0-9a-f]{96}$/);
  expect(nodePOP.proofOfPossession).toMatch(/^0x[0-9a-f]{192}$/);
  expect((await js.info.getNodeIp()).ip).toMatch(/:\d+$/);
  // The response of info.peers, because the client's isBootstrapped calls that method.
  expect(await js.info.isBootstrapped('X')).toEqual({ numPeers: '0', peers: [] } as never);
  expect(await js.info.peers()).toEqual({ numPeers: '0', peers: [] } as never);
  expect(await js.info.peers([nodeID])).toEqual({ numPeers: '0', peers: [] } as never);
  expect((await js.info.uptime()).weightedAveragePercentage).toMatch(/^\d{1,3}\.\d{4}$/);
  const { vms } = (await js.info.getVMs()) as never as { vms: Record<string, string[]> };
  expect(Object.values(vms).flat().sort()).toEqual(['avm', 'evm', 'platform']);
  const upgrades = await js.info.getUpgradesInfo();
  expect(Date.parse(upgrades.graniteTime)).toBeLessThan(Date.now());
  expect(utils.base58check.decode(upgrades.cortinaXChainStopVertexID)).toHaveLength(32);

  const described = await js.x.getAssetDescription('AVAX');
  expect(described).toEqual({ assetID: local.avaxAssetID, name: 'Avalanche', symbol: 'AVAX', denomination: '9' } as never);
  expect(await js.p.getHeight()).toEqual({ height: expect.stringMatching(/^\d+$/) } as never);
  expect((await js.p.getFeeState()).price).toBe(1n);
});

story('sends AVAX and reads the transaction', async (newWallet) => {
  const to = newWallet();
  const amount = 3_141_592_653n;
  const before = await js.balance(ewoq);
  const memo = Buffer.from('a story');
  const unsigned = avm.newBaseTx(js.context, [ewoq.bytes], await js.utxos(ewoq), [avaxOutput(amount, to)], { memo });
  const txID = await js.issue(unsigned, ewoq);

  expect(await js.balance(to)).toBe(amount);
  expect(await js.balance(ewoq)).toBe(before - amount - local.txFee);
  expect(await js.x.getAllBalances({ address: to.addressOn('X') })).toEqual({
    balances: [{ asset: 'AVAX', balance: `${amount}` }],
  } as never);
  const [utxo, ...others] = await js.utxos(to);
  expect(others).toEqual([]);
  expect(utxo!.utxoId.txID.toString()).toBe(txID);
  expect(utils.getUtxoInfo(utxo!)).toMatchObject({ amount, assetId: local.avaxAssetID, locktime: 0n, threshold: 1 });

  const signed = await js.x.getTx({ txID });
  expect(hexOf(signed.toBytes())).toBe(hexOf(unsigned.getSignedTx().toBytes()));
  expect(utils.base58check.encode(new Uint8Array(await crypto.subtle.digest('SHA-256', signed.toBytes() as BufferSource)))).toBe(txID);
  const { tx, encoding } = (await js.x.getTxJson({ txID })) as never as { tx: { unsignedTx: JsonTx; id: string }; encoding: string };
  expect(encoding).toBe('json');
  expect(tx.id).toBe(txID);
  expect(tx.unsignedTx).toMatchObject({ networkID: local.networkID, blockchainID: local.xBlockchainID, memo: `0x${hexOf(memo)}` });
  expect(tx.unsignedTx.outputs.map(({ output }) => output)).toContainEqual({
    addresses: [to.addressOn('X')],
    amount: Number(amount),
    locktime: 0,
    threshold: 1,
  });
});

type JsonTx = { outputs: { output: object }[] };

story('reads all pages of UTXOs', async (newWallet) => {
  const to = newWallet();
  const amounts = [11n, 22n, 33n, 44n, 55n];
  for (const amount of amounts) await js.fund(to, amount);
  const seen: bigint[] = [];
  let startIndex: { address: string; utxo: string } | undefined;
  do {
    const page = await js.x.getUTXOs({ addresses: [to.addressOn('X')], limit: 2, ...(startIndex === undefined ? {} : { startIndex }) });
    if (page.utxos.length === 0) break;
    seen.push(...page.utxos.map((utxo) => utils.getUtxoInfo(utxo).amount));
    startIndex = page.endIndex;
  } while (seen.length <= amounts.length);
  expect(seen.toSorted((a, b) => Number(a - b))).toEqual(amounts);
});

story('multisig, two of three', async (newWallet) => {
  const owners = [newWallet(), newWallet(), newWallet()].sort((a, b) => (a.address < b.address ? -1 : 1)) as [Wallet, Wallet, Wallet];
  const [first, , third] = owners;
  const to = newWallet();
  const shared = TransferableOutput.fromNative(
    local.avaxAssetID,
    oneAvax,
    owners.map((owner) => owner.bytes),
    0n,
    2,
  );
  await js.pay(ewoq, [shared]);
  expect(await js.balance(first)).toBe(0n);
  expect(await js.balance(first, 'AVAX', true)).toBe(oneAvax);
  const [utxo] = await js.utxos(third);
  const sent = oneAvax / 4n;

  const spend = () =>
    avm.newBaseTx(js.context, [first.bytes, third.bytes], [utxo!], [avaxOutput(sent, to)], { changeAddresses: [first.bytes] });
  expect(await errorMessageOf(js.issue(spend(), first))).toBe(errorMessages.emptySignature);

  const input = TransferableInput.fromUtxoAndSigindicies(utxo!, [0]);
  const base = avaxSerial.BaseTx.fromNative(local.networkID, local.xBlockchainID, [avaxOutput(sent, to)], [input], new Uint8Array());
  const alone = new UnsignedTx(new avmSerial.BaseTx(base), [utxo!], new utils.AddressMaps([new utils.AddressMap([[addressOf(first), 0]])]));
  expect(await errorMessageOf(js.issue(alone, first))).toBe(errorMessages.tooFewSigners);

  await js.issue(spend(), first, third);
  expect(await js.balance(to)).toBe(sent);
  expect(await js.balance(first)).toBe(oneAvax - sent - local.txFee);
  expect(await js.utxos(third)).toEqual([]);
});

const addressOf = (wallet: Wallet) => utils.addressesFromBytes([wallet.bytes])[0]!;

story('locktime, past and future', async (newWallet) => {
  const [past, future, to] = [newWallet(), newWallet(), newWallet()];
  await js.pay(ewoq, [
    TransferableOutput.fromNative(local.avaxAssetID, oneAvax, [past.bytes], pastLocktime),
    TransferableOutput.fromNative(local.avaxAssetID, oneAvax, [future.bytes], futureLocktime),
  ]);
  expect(await js.balance(past)).toBe(oneAvax);
  expect(await js.balance(future)).toBe(0n);
  expect(await js.balance(future, 'AVAX', true)).toBe(oneAvax);

  await js.pay(past, [avaxOutput(1_000n, to)]);
  expect(await js.balance(to)).toBe(1_000n);
  expect(await js.balance(past)).toBe(oneAvax - 1_000n - local.txFee);

  // The client spends a locked output only with a later minIssuanceTime.
  const early = avm.newBaseTx(js.context, [future.bytes], await js.utxos(future), [avaxOutput(1_000n, to)], {
    minIssuanceTime: futureLocktime,
  });
  expect(await errorMessageOf(js.issue(early, future))).toBe(errorMessages.timeLocked);
  expect(await js.balance(to)).toBe(1_000n);
});

story('a fixed and a variable cap asset', async (newWallet) => {
  const [maker, to] = [newWallet(), newWallet()];
  await js.fund(maker, oneAvax);
  const supply = (amount: bigint) => new TransferOutput(new BigIntPr(amount), OutputOwners.fromNative([maker.bytes]));

  const fixed = await createAsset(maker, 'Fixed Cap', 'FIX', 3, [supply(7_000n)]);
  expect(await js.x.getAssetDescription(fixed)).toEqual({ assetID: fixed, name: 'Fixed Cap', symbol: 'FIX', denomination: '3' } as never);
  expect(await js.balance(maker, fixed)).toBe(7_000n);
  await js.pay(maker, [TransferableOutput.fromNative(fixed, 2_500n, [to.bytes])]);
  expect(await js.balance(to, fixed)).toBe(2_500n);
  expect(await js.balance(maker, fixed)).toBe(4_500n);

  const mint = new MintOutput(OutputOwners.fromNative([maker.bytes]));
  const variable = await createAsset(maker, 'Variable Cap', 'VAR', 0, [mint, supply(10n)]);
  const [mintUtxo] = (await js.utxos(maker)).filter((utxo) => utils.isSecpMintOut(utxo.output));
  const minting = await js.issueBytes(
    await operationTx(node, maker, {
      assetID: parseId(variable),
      inputIDs: [{ txID: parseId(variable), outputIndex: mintUtxo!.utxoId.outputIdx.value() }],
      operation: {
        kind: 'secp256k1fx.MintOperation',
        mintInput: { signatureIndices: [0] },
        mintOutput: ownedBy(maker.address),
        transferOutput: { amount: 90n, ...ownedBy(to.address) },
      },
    }),
  );
  expect(await js.balance(to, variable)).toBe(90n);
  expect(await js.balance(maker, variable)).toBe(10n);
  expect((await js.x.getTx({ txID: minting })).unsignedTx).toBeInstanceOf(avmSerial.OperationTx);
  const { balances } = await js.x.getAllBalances({ address: maker.addressOn('X') });
  expect(new Map(balances.map(({ asset, balance }) => [asset, BigInt(balance)]))).toEqual(
    new Map([
      ['AVAX', oneAvax - 2n * local.createAssetTxFee - 2n * local.txFee],
      [fixed, 4_500n],
      [variable, 10n],
    ]),
  );
});

/** The client has the type but no builder: inputs and change are those of a BaseTx that pays the fee. */
async function createAsset(maker: Wallet, name: string, symbol: string, denomination: number, outputs: (TransferOutput | MintOutput)[]) {
  const paid = avm.newBaseTx({ ...js.context, baseTxFee: local.createAssetTxFee }, [maker.bytes], await js.utxos(maker), []);
  const { baseTx } = paid.getTx() as avmSerial.BaseTx;
  const state = new avmSerial.InitialState(new Int(0), outputs);
  const tx = new avmSerial.CreateAssetTx(baseTx, new Stringpr(name), new Stringpr(symbol), new Byte(Uint8Array.of(denomination)), [state]);
  const manager = avmSerial.getAVMManager();
  const unsigned = manager.packCodec(tx);
  const signature = new Signature(await maker.sign(unsigned));
  const credentials = manager.getDefaultCodec().PackPrefixList(baseTx.inputs.map(() => new Credential([signature])));
  return js.issueBytes(utils.bufferToHex(utils.addChecksum(utils.concatBytes(unsigned, credentials))));
}

story('an NFT asset, one NFT minted and transferred', async (newWallet) => {
  const [maker, to] = [newWallet(), newWallet()];
  await js.fund(maker, oneAvax);
  const owner = ownedBy(maker.address);
  const family = await js.issueBytes(
    await createAssetTx(node, maker, {
      name: 'Family',
      symbol: 'NFT',
      denomination: 0,
      initialStates: [{ fxIndex: 1, outputs: [{ kind: 'nftfx.MintOutput', groupID: 1, ...owner }] }],
    }),
  );
  const assetID = parseId(family);
  const [mint] = (await js.utxos(maker)).filter((utxo) => utils.isNftMintOut(utxo.output));
  const payload = Buffer.from('a picture');
  const minting = await js.issueBytes(
    await operationTx(node, maker, {
      assetID,
      inputIDs: [{ txID: assetID, outputIndex: mint!.utxoId.outputIdx.value() }],
      operation: { kind: 'nftfx.MintOperation', mintInput: { signatureIndices: [0] }, groupID: 1, payload, outputs: [owner] },
    }),
  );
  const [nft] = (await js.utxos(maker)).filter((utxo) => utils.isNftTransferOut(utxo.output));
  expect(nft!.utxoId.txID.toString()).toBe(minting);

  const passing = await js.issueBytes(
    await operationTx(node, maker, {
      assetID,
      inputIDs: [{ txID: parseId(minting), outputIndex: nft!.utxoId.outputIdx.value() }],
      operation: {
        kind: 'nftfx.TransferOperation',
        input: { signatureIndices: [0] },
        output: { groupID: 1, payload, ...ownedBy(to.address) },
      },
    }),
  );
  expect((await js.utxos(maker)).some((utxo) => utils.isNftTransferOut(utxo.output))).toBe(false);
  const [received] = await js.utxos(to);
  if (!utils.isNftTransferOut(received!.output)) throw new Error(`not an NFT: ${received!.output._type}`);
  expect(received!.getAssetId()).toBe(family);
  expect(hexOf(received!.output.payload.bytes)).toBe(hexOf(payload));
  expect((await js.x.getTx({ txID: passing })).unsignedTx).toBeInstanceOf(avmSerial.OperationTx);
});

story('a property, minted and burned', async (newWallet) => {
  const maker = newWallet();
  await js.fund(maker, oneAvax);
  const asset = await mintAndBurnProperty(node, maker, js.issueBytes);
  expect((await js.x.getAssetDescription(asset)).symbol).toBe('DEED');
  expect(await js.balance(maker)).toBe(oneAvax - local.createAssetTxFee - 2n * local.txFee);
});

story('exports to P and C, which list the outputs', async (newWallet) => {
  const from = newWallet();
  await js.fund(from, oneAvax);
  const destinations = [
    { chain: 'P', id: local.pBlockchainID, api: js.p, amount: 123_456_789n },
    { chain: 'C', id: local.cBlockchainID, api: js.c, amount: 234_567_891n },
  ] as const;
  for (const { chain, id, api, amount } of destinations) {
    const txID = await js.issue(avm.newExportTx(js.context, id, [from.bytes], await js.utxos(from), [avaxOutput(amount, from)]), from);
    const there = await api.getUTXOs({ addresses: [from.addressOn(chain)], sourceChain: 'X' });
    expect(there.utxos.map((utxo) => utxo.utxoId.txID.toString())).toEqual([txID]);
    expect(utils.getUtxoInfo(there.utxos[0]!)).toMatchObject({ amount, assetId: local.avaxAssetID });
  }
  expect(await js.balance(from)).toBe(oneAvax - 123_456_789n - 234_567_891n - 2n * local.txFee);
});

for (const source of ['P', 'C'] as const)
  story(`imports from ${source}`, async (newWallet) => {
    const [from, to] = [newWallet(), newWallet()];
    await makeImportable(node, source, from.address, oneAvax);
    const { utxos } = await js.x.getUTXOs({ addresses: [from.addressOn('X')], sourceChain: source });
    expect(utxos.map((utxo) => utils.getUtxoInfo(utxo).amount)).toEqual([oneAvax]);
    const chainID = source === 'P' ? local.pBlockchainID : local.cBlockchainID;
    await js.issue(avm.newImportTx(js.context, chainID, utxos, [to.bytes], [from.bytes]), from);
    expect(await js.balance(to)).toBe(oneAvax - local.txFee);
    expect((await js.x.getUTXOs({ addresses: [from.addressOn('X')], sourceChain: source })).utxos).toEqual([]);
  });

story('five dependent transactions through the wallet queue', async (newWallet) => {
  const owner = newWallet();
  await js.fund(owner, oneAvax);
  const queue = new Common.AvaxApi(node.url, '/ext/bc/X/wallet', 'wallet', avmSerial.getAVMManager());
  const [first] = await js.utxos(owner);
  let utxo: Utxo = first!;
  const sent: string[] = [];
  for (let step = 1n; step <= 5n; step++) {
    const left = oneAvax - step * local.txFee;
    const unsignedTx = avm.newBaseTx(js.context, [owner.bytes], [utxo], [avaxOutput(left, owner)]);
    await addTxSignatures({ unsignedTx, privateKeys: [owner.secret] });
    const { txID } = await queue.issueSignedTx(unsignedTx.getSignedTx());
    sent.push(txID);
    // The next transaction spends this output before it is accepted.
    utxo = new Utxo(avaxSerial.UTXOID.fromNative(txID, 0), Id.fromString(local.avaxAssetID), avaxOutput(left, owner).output);
  }
  for (const txID of sent) await waitForAccepted(async () => (await js.x.getTxStatus({ txID })).status);
  expect(await js.balance(owner)).toBe(oneAvax - 5n * local.txFee);
  expect((await js.utxos(owner)).map((held) => held.utxoId.txID.toString())).toEqual([sent[4]!]);
});
