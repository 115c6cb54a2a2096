/**
 * @avalanche-sdk/client 0.1.1. It uses avalanchejs, so a transaction without a builder here can be built with avalanchejs.
 *
 * | Story          | Through the client                                        | Cannot, and why                                                    |
 * |----------------|-----------------------------------------------------------|--------------------------------------------------------------------|
 * | info           | info, health, xChain, pChain                              |                                                                    |
 * | send           | prepareBaseTxn, sendXPTransaction, waitForTxn, getTx      |                                                                    |
 * | multisig       | prepareBaseTxn with threshold, signXPTransaction twice    | getBalance with includePartial: not among its parameters           |
 * | locktime       | prepareBaseTxn with minIssuanceTime                       |                                                                    |
 * | assets         | sends an asset, getAssetDescription, issueTx              | create, mint: no builder; built in own-tx.ts                       |
 * | NFT            | signs, sends, reads outputs                               | no builder; built in own-tx.ts                                     |
 * | property       | signs, sends                                              | no builder; built in own-tx.ts                                     |
 * | export, import | sendXPTransaction, getUTXOs of P and C                    | prepareExportTxn, prepareImportTxn: they accept only networks 1    |
 * |                |                                                           | and 5 (private-copy.story.ts); built with avalanchejs              |
 * | wallet queue   | signXPTransaction, request on /wallet                     | it has no wallet API                                               |
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { avaxSerial, avm, avmSerial, Context, Id, TransferableOutput, Utxo, utils } from '@avalabs/avalanchejs';
import { createAvalancheClient } from '@avalanche-sdk/client';
import { getTxFromBytes, getUtxoFromBytes } from '@avalanche-sdk/client/utils';
import { parseId } from '../../../src/base/bytes/id.ts';
import { makeImportable } from './atomic.ts';
import { freshSecrets, hexOf } from './keys.ts';
import { errorMessages, futureLocktime, local, oneAvax, pastLocktime } from './local-network.ts';
import { errorMessageOf, type Node, openNode, waitForAccepted } from './node.ts';
import { createAssetTx, operationTx, ownedBy } from './own-tx.ts';
import { mintAndBurnProperty } from './property.ts';
import { type Client, openClient, type Wallet } from './sdk.ts';

let node: Node;
let sdk: Client;

beforeAll(async () => {
  node = await openNode();
  sdk = openClient(node);
});
afterAll(() => node.close());

const story = (name: string, run: (newWallet: () => Wallet) => Promise<void>) =>
  test(`avalanche-sdk: ${name}`, async () => {
    const secrets = await freshSecrets(node, `sdk/${name}`);
    await run(() => sdk.walletOf(secrets()));
  }, 60_000);

story('context and info', async () => {
  const { info, health, x, p } = sdk;
  expect(await info.getNetworkID()).toEqual({ networkID: '12345' });
  expect(await info.getNetworkName()).toEqual({ networkName: 'local' });
  expect(await info.getBlockchainID({ alias: 'X' })).toEqual({ blockchainID: local.xBlockchainID });
  expect(await info.isBootstrapped({ chain: 'X' })).toEqual({ isBootstrapped: true });
  const version = await info.getNodeVersion();
  expect(version.version).toMatch(/^(serac\/\d+\.\d+\.\d+ )?avalanchego\/\d+\.\d+\.\d+$/);
  expect(version.rpcProtocolVersion).toBe('45');
  const { nodeID, nodePOP } = await info.getNodeID();
  expect(nodeID).toMatch(/^NodeID-[1-9A-HJ-NP-Za-km-z]+$/);
  expect(nodePOP.publicKey).toMatch(/^0x[0-9a-f]{96}$/);
  expect((await info.getNodeIP()).ip).toMatch(/:\d+$/);
  expect((await info.getTxFee()).txFee).toBe(local.txFee);
  expect(
    Object.values((await info.getVMs()).vms)
      .flat()
      .sort(),
  ).toEqual(['avm', 'evm', 'platform']);
  expect(await info.peers({ nodeIDs: [] })).toEqual({ numPeers: '0', peers: [] } as never);
  expect((await info.upgrades()).cortinaXChainStopVertexID).toBeString();
  expect((await info.uptime()).weightedAveragePercentage).toMatch(/^\d{1,3}\.\d{4}$/ as never);
  expect((await info.acps()).acps).toEqual(new Map());

  expect((await health.health({ tags: [local.pBlockchainID] })).healthy).toBe(true);
  expect((await health.readiness({ tags: [] })).healthy).toBe(true);
  expect((await health.liveness()).healthy).toBe(true);

  expect(await x.getTxFee()).toEqual({ txFee: `${local.txFee}`, createAssetTxFee: `${local.createAssetTxFee}` } as never);
  expect((await x.getAssetDescription({ assetID: 'AVAX' })).assetID).toBe(local.avaxAssetID);
  expect((await p.getFeeState()).price).toBe(1n);
  expect(BigInt((await p.getHeight()).height)).toBeGreaterThanOrEqual(0n);
});

story('sends AVAX and reads the transaction', async (newWallet) => {
  const to = newWallet();
  const { x } = sdk;
  const amount = 1_618_033_988n;
  const before = await sdk.balance(sdk.ewoq);
  const height = BigInt((await x.getHeight()).height);
  const txID = await sdk.pay(sdk.ewoq, [{ addresses: [to.addressOn('X')], amount }], { memo: 'a new story' });

  expect(await sdk.balance(to)).toBe(amount);
  expect(await sdk.balance(sdk.ewoq)).toBe(before - amount - local.txFee);
  const { balances } = await x.getAllBalances({ address: to.addressOn('X') } as never);
  expect(balances).toEqual([{ asset: 'AVAX', balance: amount } as never]);
  // The SDK's types send a list of addresses, but AvalancheGo's method takes one address.
  expect(await errorMessageOf(x.getAllBalances({ addresses: [to.addressOn('X')] }))).toStartWith("problem parsing address '': ");
  const held = await sdk.utxos(to);
  expect(held.map((utxo) => utxo.utxoId.txID.toString())).toEqual([txID]);
  expect(utils.getUtxoInfo(held[0]!)).toMatchObject({ amount, assetId: local.avaxAssetID });

  const { tx: hex } = await x.getTx({ txID, encoding: 'hex' });
  const [decoded, credentials] = getTxFromBytes(hex as never as string, 'X');
  expect(decoded).toBeInstanceOf(avmSerial.BaseTx);
  expect(credentials).toHaveLength((decoded as avmSerial.BaseTx).baseTx.inputs.length);
  expect(Buffer.from((decoded as avmSerial.BaseTx).baseTx.memo.bytes).toString()).toBe('a new story');
  const { tx } = (await x.getTx({ txID, encoding: 'json' })) as never as {
    tx: { id: string; unsignedTx: { outputs: { output: object }[] } };
  };
  expect(tx.id).toBe(txID);
  expect(tx.unsignedTx.outputs.map(({ output }) => output)).toContainEqual({
    addresses: [to.addressOn('X')],
    amount: Number(amount),
    locktime: 0,
    threshold: 1,
  });

  expect(BigInt((await x.getHeight()).height)).toBe(height + 1n);
  const block = (await x.getBlockByHeight({ height: Number(height) + 1, encoding: 'json' })) as never as {
    block: { id: string; txs: { id: string }[] };
  };
  expect(block.block.txs.map(({ id }) => id)).toEqual([txID]);
  // The SDK calls this parameter blockId; AvalancheGo ignores the case of parameter names.
  const same = await x.getBlock({ blockId: block.block.id, encoding: 'json' });
  expect((same as never as typeof block).block.id).toBe(block.block.id);
});

story('multisig, two of three', async (newWallet) => {
  const owners = [newWallet(), newWallet(), newWallet()].sort((a, b) => (a.address < b.address ? -1 : 1)) as [Wallet, Wallet, Wallet];
  const [first, , third] = owners;
  const to = newWallet();
  const sent = oneAvax / 4n;
  await sdk.pay(sdk.ewoq, [{ addresses: owners.map((owner) => owner.addressOn('X')), amount: oneAvax, threshold: 2 }]);
  expect(await sdk.balance(first)).toBe(0n);
  const utxos = await sdk.utxos(third);
  const spend = async () =>
    first.client.xChain.prepareBaseTxn({
      outputs: [{ addresses: [to.addressOn('X')], amount: sent }],
      fromAddresses: [first.addressOn('X'), third.addressOn('X')],
      changeAddresses: [first.addressOn('X')],
      utxos,
    });
  expect(await errorMessageOf(sdk.send(first, (await spend()).tx))).toBe(errorMessages.emptySignature);

  const { tx } = await spend();
  await first.client.signXPTransaction({ tx, chainAlias: 'X' });
  await sdk.send(third, tx);
  expect(await sdk.balance(to)).toBe(sent);
  expect(await sdk.balance(first)).toBe(oneAvax - sent - local.txFee);
});

story('locktime, past and future', async (newWallet) => {
  const [past, future, to] = [newWallet(), newWallet(), newWallet()];
  await sdk.pay(sdk.ewoq, [
    { addresses: [past.addressOn('X')], amount: oneAvax, locktime: pastLocktime },
    { addresses: [future.addressOn('X')], amount: oneAvax, locktime: futureLocktime },
  ]);
  expect(await sdk.balance(past)).toBe(oneAvax);
  expect(await sdk.balance(future)).toBe(0n);
  const small = [{ addresses: [to.addressOn('X')], amount: 1_000n }];
  await sdk.pay(past, small);
  expect(await sdk.balance(to)).toBe(1_000n);
  expect(await sdk.balance(past)).toBe(oneAvax - 1_000n - local.txFee);
  expect(await errorMessageOf(sdk.pay(future, small, { minIssuanceTime: futureLocktime }))).toBe(errorMessages.timeLocked);
});

story('a fixed and a variable cap asset', async (newWallet) => {
  const [maker, to] = [newWallet(), newWallet()];
  await sdk.fund(maker, oneAvax);
  const owner = ownedBy(maker.address);
  const fixed = await sdk.issueBytes(
    await createAssetTx(node, maker, {
      name: 'Sdk Fixed',
      symbol: 'SFIX',
      denomination: 3,
      initialStates: [{ fxIndex: 0, outputs: [{ kind: 'secp256k1fx.TransferOutput', amount: 7_000n, ...owner }] }],
    }),
  );
  expect(await sdk.x.getAssetDescription({ assetID: fixed })).toEqual({
    assetID: fixed,
    name: 'Sdk Fixed',
    symbol: 'SFIX',
    denomination: '3',
  } as never);
  await sdk.pay(maker, [{ addresses: [to.addressOn('X')], amount: 2_500n, assetId: fixed }]);
  expect(await sdk.balance(to, fixed)).toBe(2_500n);
  expect(await sdk.balance(maker, fixed)).toBe(4_500n);

  const variable = await sdk.issueBytes(
    await createAssetTx(node, maker, {
      name: 'Sdk Variable',
      symbol: 'SVAR',
      denomination: 0,
      initialStates: [{ fxIndex: 0, outputs: [{ kind: 'secp256k1fx.MintOutput', ...owner }] }],
    }),
  );
  const [mint] = (await sdk.utxos(maker)).filter((utxo) => utils.isSecpMintOut(utxo.output));
  await sdk.issueBytes(
    await operationTx(node, maker, {
      assetID: parseId(variable),
      inputIDs: [{ txID: parseId(variable), outputIndex: mint!.utxoId.outputIdx.value() }],
      operation: {
        kind: 'secp256k1fx.MintOperation',
        mintInput: { signatureIndices: [0] },
        mintOutput: owner,
        transferOutput: { amount: 90n, ...ownedBy(to.address) },
      },
    }),
  );
  expect(await sdk.balance(to, variable)).toBe(90n);
  expect(await sdk.balance(maker)).toBe(oneAvax - 2n * local.createAssetTxFee - 2n * local.txFee);
});

story('an NFT asset, one NFT minted and transferred', async (newWallet) => {
  const [maker, to] = [newWallet(), newWallet()];
  await sdk.fund(maker, oneAvax);
  const owner = ownedBy(maker.address);
  const family = await sdk.issueBytes(
    await createAssetTx(node, maker, {
      name: 'Sdk Family',
      symbol: 'SNFT',
      denomination: 0,
      initialStates: [{ fxIndex: 1, outputs: [{ kind: 'nftfx.MintOutput', groupID: 0, ...owner }] }],
    }),
  );
  const payload = Buffer.from('a new picture');
  const operate = async (utxo: Utxo, operation: Parameters<typeof operationTx>[2]['operation']) =>
    sdk.issueBytes(
      await operationTx(node, maker, {
        assetID: parseId(family),
        inputIDs: [{ txID: parseId(utxo.utxoId.txID.toString()), outputIndex: utxo.utxoId.outputIdx.value() }],
        operation,
      }),
    );
  const [mint] = (await sdk.utxos(maker)).filter((utxo) => utils.isNftMintOut(utxo.output));
  await operate(mint!, { kind: 'nftfx.MintOperation', mintInput: { signatureIndices: [0] }, groupID: 0, payload, outputs: [owner] });
  const [nft] = (await sdk.utxos(maker)).filter((utxo) => utils.isNftTransferOut(utxo.output));
  const output = { groupID: 0, payload, ...ownedBy(to.address) };
  await operate(nft!, { kind: 'nftfx.TransferOperation', input: { signatureIndices: [0] }, output });
  const [received, ...others] = await sdk.utxos(to);
  expect(others).toEqual([]);
  if (!utils.isNftTransferOut(received!.output)) throw new Error(`not an NFT: ${received!.output._type}`);
  expect(received!.getAssetId()).toBe(family);
  expect(hexOf(received!.output.payload.bytes)).toBe(hexOf(payload));
});

story('a property, minted and burned', async (newWallet) => {
  const maker = newWallet();
  await sdk.fund(maker, oneAvax);
  const asset = await mintAndBurnProperty(node, maker, sdk.issueBytes);
  expect((await sdk.x.getAssetDescription({ assetID: asset })).symbol).toBe('DEED');
  expect(await sdk.balance(maker)).toBe(oneAvax - local.createAssetTxFee - 2n * local.txFee);
});

story('exports to P and C, which list the outputs', async (newWallet) => {
  const from = newWallet();
  await sdk.fund(from, oneAvax);
  const context = await Context.getContextFromURI(node.url);
  const destinations = [
    { chain: 'P', id: local.pBlockchainID, api: sdk.p, amount: 123_456_789n },
    { chain: 'C', id: local.cBlockchainID, api: sdk.c, amount: 234_567_891n },
  ] as const;
  for (const { chain, id, api, amount } of destinations) {
    const output = TransferableOutput.fromNative(local.avaxAssetID, amount, [from.bytes]);
    const txID = await sdk.send(from, avm.newExportTx(context, id, [from.bytes], await sdk.utxos(from), [output]));
    const { utxos } = await api.getUTXOs({ addresses: [from.addressOn(chain)], sourceChain: 'X' });
    const there = utxos.map((utxo) => getUtxoFromBytes(utxo, chain));
    expect(there.map((utxo) => utxo.utxoId.txID.toString())).toEqual([txID]);
    expect(utils.getUtxoInfo(there[0]!)).toMatchObject({ amount, assetId: local.avaxAssetID });
  }
  expect(await sdk.balance(from)).toBe(oneAvax - 123_456_789n - 234_567_891n - 2n * local.txFee);
});

story('its own exports and imports throw on the local network, before they call the node', async () => {
  const { client, addressOn } = sdk.ewoq;
  const exported = { addresses: [addressOn('C')], amount: 7n };
  expect(await errorMessageOf(client.xChain.prepareExportTxn({ destinationChain: 'C', exportedOutputs: [exported] }))).toBe(invalidNetwork);
  const imported = { addresses: [addressOn('X')] };
  expect(await errorMessageOf(client.xChain.prepareImportTxn({ sourceChain: 'P', importedOutput: imported }))).toBe(invalidNetwork);
});
const invalidNetwork = 'Invalid network ID: 12345';

for (const source of ['P', 'C'] as const)
  story(`imports from ${source}`, async (newWallet) => {
    const [from, to] = [newWallet(), newWallet()];
    await makeImportable(node, source, from.address, oneAvax);
    const waiting = async () => (await sdk.x.getUTXOs({ addresses: [from.addressOn('X')], sourceChain: source })).utxos;
    const utxos = (await waiting()).map((utxo) => getUtxoFromBytes(utxo, 'X'));
    const context = await Context.getContextFromURI(node.url);
    const chainID = source === 'P' ? local.pBlockchainID : local.cBlockchainID;
    await sdk.send(from, avm.newImportTx(context, chainID, utxos, [to.bytes], [from.bytes]));
    expect(await sdk.balance(to)).toBe(oneAvax - local.txFee);
    expect(await waiting()).toEqual([]);
  });

story('five dependent transactions through the wallet queue', async (newWallet) => {
  const owner = newWallet();
  await sdk.fund(owner, oneAvax);
  const queue = createAvalancheClient({ transport: { type: 'http', url: `${node.url}/ext/bc/X/wallet` } });
  let utxos = await sdk.utxos(owner);
  const sent: string[] = [];
  for (let step = 1n; step <= 5n; step++) {
    const left = { addresses: [owner.addressOn('X')], amount: oneAvax - step * local.txFee };
    const { tx } = await owner.client.xChain.prepareBaseTxn({ outputs: [left], utxos });
    const { signedTxHex } = await owner.client.signXPTransaction({ tx, chainAlias: 'X' });
    const { txID } = (await queue.request({ method: 'wallet.issueTx', params: { tx: signedTxHex, encoding: 'hex' } } as never)) as {
      txID: string;
    };
    sent.push(txID);
    // The next transaction spends this output before it is accepted.
    const { output } = TransferableOutput.fromNative(local.avaxAssetID, left.amount, [owner.bytes]);
    utxos = [new Utxo(avaxSerial.UTXOID.fromNative(txID, 0), Id.fromString(local.avaxAssetID), output)];
  }
  for (const txID of sent) await waitForAccepted(async () => (await sdk.x.getTxStatus({ txID })).status);
  expect(await sdk.balance(owner)).toBe(oneAvax - 5n * local.txFee);
});
