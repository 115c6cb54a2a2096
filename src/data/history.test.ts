import { describe, expect, test } from 'bun:test';
import type { Address } from '../bytes/address.ts';
import { formatHex } from '../bytes/hex.ts';
import { type Id, idText } from '../bytes/id.ts';
import { effectsOf } from '../tx/effects.ts';
import type { Tx } from '../tx/tx.ts';
import { type Any, answersOf, askData, labels, onX, refusalsOf, spelt, walk } from './ask.fixture.ts';
import { plainReads } from './plain-reads.fixture.ts';
import {
  builder,
  cChain,
  chainID,
  never,
  nobody,
  payment,
  pChain,
  people,
  servedBy,
  servedChain,
  txs,
  worldChain,
} from './world.fixture.ts';

const ask = askData(servedBy());
const get = answersOf(ask);
const refused = refusalsOf(ask);
const [alice, bob, carol] = [spelt(people.alice), spelt(people.bob), spelt(people.carol)];
const { avax, coin, family } = labels;
const avaxID = avax.assetId;

const utxoIDs = (tx: Tx): string[] => {
  const { created, exported } = effectsOf(tx);
  return [...created, ...(exported?.utxos ?? [])].map(({ id }) => idText(id));
};
const hashes = (transactions: { txHash: string }[]) => transactions.map(({ txHash }) => txHash);
const sorted = (...owners: Address[]) => owners.sort().map(spelt);
const ids = (...of: Tx[]) => of.map(({ id }) => idText(id));

describe('blocks', () => {
  test('newest first, as they are', async () => {
    const { blocks, chainInfo, nextPageToken } = await get(`${onX}/blocks`);
    expect(chainInfo).toEqual({ chainName: 'x-chain', network: 'local' });
    expect(nextPageToken).toBeUndefined();
    const made = worldChain().blocks.toReversed();
    expect(blocks).toEqual(
      made.map(({ id, parentID, height, time, txs: inside, bytes }) => ({
        blockNumber: `${height}`,
        blockHash: idText(id),
        parentHash: idText(parentID),
        blockTimestamp: Number(time),
        blockType: 'Standard',
        txCount: inside.length,
        transactions: ids(...inside),
        blockSizeBytes: bytes.length,
        ...(height > 0n && { proposerDetails: { proposerNodeId: builder } }),
      })),
    );
    expect(await walk(ask, `${onX}/blocks?pageSize=2`, 'blocks')).toEqual(blocks);
    for (const block of blocks)
      for (const blockId of [block.blockNumber, block.blockHash]) expect(await get(`${onX}/blocks/${blockId}`)).toEqual(block);
  });

  test('of a time: from its first second, up to its last', async () => {
    const numbers = async (query: string) => (await get(`${onX}/blocks?${query}`)).blocks.map(({ blockNumber }: Any) => blockNumber);
    expect(await numbers('startTimestamp=3000')).toEqual(['5', '4', '3', '2']);
    expect(await numbers('endTimestamp=3000')).toEqual(['1', '0']);
    expect(await numbers('startTimestamp=3000&endTimestamp=4000')).toEqual(['3', '2']);
    expect(await numbers('startTimestamp=6001')).toEqual([]);
    expect(await numbers('startTimestamp=4000&endTimestamp=3000')).toEqual([]);
  });

  test('of a node', async () => {
    const built = await walk(ask, `${onX}/nodes/${builder}/blocks?pageSize=2`, 'blocks');
    expect(built.map(({ blockNumber }) => blockNumber)).toEqual(['5', '4', '3', '2', '1']);
    // The last page is full, and block 0 is not behind it.
    expect(await walk(ask, `${onX}/nodes/${builder}/blocks?pageSize=5`, 'blocks')).toEqual(built);
    expect((await get(`${onX}/nodes/NodeID-111111111111111111116DBWJs/blocks`)).blocks).toEqual([]);
    expect((await refused(`${onX}/nodes/Node/blocks`)).status).toBe(400);
    const followed = askData(servedBy(undefined, { builder: undefined }));
    expect(await refusalsOf(followed)(`${onX}/nodes/${builder}/blocks`)).toEqual({
      status: 404,
      message: 'This server does not know which node built which block of x-chain',
    });
    expect((await answersOf(followed)(`${onX}/blocks/1`)).proposerDetails).toBeUndefined();
  });

  test('that are not there', async () => {
    for (const blockId of ['6', '999999999999999', avaxID]) expect((await refused(`${onX}/blocks/${blockId}`)).status).toBe(404);
    expect((await refused(`${onX}/blocks/one`)).status).toBe(400);
  });
});

describe('transactions', () => {
  const one = (tx: Tx) => get(`${onX}/transactions/${idText(tx.id)}`);

  test('a payment', async () => {
    const tx = await one(txs.gift);
    const plain = {
      createdOnChainId: idText(chainID),
      consumedOnChainId: idText(chainID),
      utxoType: 'transfer',
      threshold: 1,
      locktime: 0,
    };
    const [consumed] = effectsOf(txs.avax).created;
    expect(tx).toEqual({
      txHash: idText(txs.gift.id),
      chainFormat: 'linear',
      blockHeight: 1,
      blockHash: idText(worldChain().blocks[1]!.id),
      timestamp: 2000,
      txType: 'BaseTx',
      memo: '0x68656c6c6f',
      consumedUtxos: [
        {
          ...plain,
          utxoId: idText(consumed!.id),
          creationTxHash: avaxID,
          outputIndex: '0',
          timestamp: 1000,
          asset: { ...avax, amount: '1000' },
          addresses: [alice],
          utxoBytes: formatHex('hex', consumed!.bytes),
          consumingTxHash: idText(txs.gift.id),
          consumingTxTimestamp: 2000,
          credentials: [{ signature: Buffer.alloc(65, 0).toString('base64') }],
        },
      ],
      emittedUtxos: expect.any(Array),
      amountUnlocked: [{ ...avax, amount: '1000' }],
      amountCreated: [{ ...avax, amount: '999' }],
    });
    expect(tx.emittedUtxos.map(({ utxoId }: Any) => utxoId)).toEqual(utxoIDs(txs.gift));
    expect(tx.emittedUtxos[1]).toMatchObject({
      ...plain,
      addresses: sorted(people.alice, people.bob),
      threshold: 2,
      outputIndex: '1',
      timestamp: 2000,
    });
    expect(tx.emittedUtxos[0]).toMatchObject({ consumingTxHash: idText(txs.exported.id), consumingTxTimestamp: 6000 });
    expect(tx.emittedUtxos[1].consumingTxHash).toBeUndefined();
    expect(tx.emittedUtxos[2]).toMatchObject({ locktime: 5000 });
  });

  test('a lock time beyond what JavaScript can count is told to the last digit', async () => {
    const { text } = await ask(`${onX}/transactions/${idText(txs.gift.id)}`);
    expect(text).toContain(`"locktime":${never}`);
  });

  test('an asset made, and minted', async () => {
    const made = await one(txs.coin);
    expect(made.assetCreated).toEqual({ ...coin, createdAtTimestamp: 3000, cap: 'variable' });
    expect(made.emittedUtxos.map(({ utxoType, asset, outputIndex }: Any) => [outputIndex, utxoType, asset])).toEqual([
      ['0', 'transfer', { ...avax, amount: '348' }],
      ['1', 'mint', { ...coin, amount: '0' }],
      ['2', 'transfer', { ...coin, amount: '10' }],
    ]);
    expect(made.amountCreated).toEqual([
      { ...avax, amount: '348' },
      { ...coin, amount: '10' },
    ]);
    const minting = await one(txs.minting);
    expect(minting).toMatchObject({ txType: 'OperationTx', amountUnlocked: [{ ...coin, amount: '0' }] });
    expect(minting.consumedUtxos).toMatchObject([{ utxoType: 'mint', utxoId: made.emittedUtxos[1].utxoId }]);
    expect(minting.amountCreated).toEqual([{ ...coin, amount: '5' }]);
  });

  test('NFTs and properties', async () => {
    const made = await one(txs.family);
    expect(made.assetCreated).toEqual({ ...family, createdAtTimestamp: 3000, cap: 'variable' });
    expect(made.emittedUtxos.map(({ utxoType, groupId, payload }: Any) => [utxoType, groupId, payload])).toEqual([
      ['transfer', undefined, undefined],
      ['mint', 0, undefined],
      ['mint', 1, undefined],
      ['mint', undefined, undefined],
    ]);
    const picture = await one(txs.picture);
    expect(picture.emittedUtxos[1]).toMatchObject({
      utxoType: 'transfer',
      groupId: 0,
      payload: `0x${Buffer.from('picture').toString('hex')}`,
      asset: { ...family, amount: '1' },
    });
    // Each operation has a credential of its own, behind those of the inputs.
    const signatures = picture.consumedUtxos.map(({ credentials }: Any) => Buffer.from(credentials[0].signature, 'base64')[0]);
    expect(signatures).toEqual([0, 1, 2]);
    const passed = await one(txs.passed);
    expect(passed.amountUnlocked).toEqual([{ ...family, amount: '2' }]);
    expect(passed.amountCreated).toEqual([{ ...family, amount: '1' }]);
  });

  test('out, and in', async () => {
    const exported = await one(txs.exported);
    expect(exported).toMatchObject({ txType: 'ExportTx', destinationChain: idText(cChain) });
    expect(exported.emittedUtxos).toMatchObject([
      { outputIndex: '0', consumedOnChainId: idText(chainID) },
      { outputIndex: '1', consumedOnChainId: idText(cChain), createdOnChainId: idText(chainID), asset: { amount: '250' } },
    ]);
    expect(exported.amountCreated).toEqual([{ ...avax, amount: '299' }]);
    const imported = await one(txs.imported);
    expect(imported).toMatchObject({ txType: 'ImportTx', sourceChain: idText(pChain), amountUnlocked: [{ ...avax, amount: '77' }] });
    expect(imported.consumedUtxos).toMatchObject([
      { createdOnChainId: idText(pChain), consumedOnChainId: idText(chainID), timestamp: 5500, outputIndex: '7', credentials: [{}] },
    ]);
  });

  test('keys of signers, where somebody recovers them', async () => {
    const key = Buffer.alloc(33, 9);
    const knowing = askData(servedBy(), {
      recover: (tx, signature) => (tx.id === txs.gift.id && signature.length === 65 ? key : undefined),
    });
    const { consumedUtxos } = await answersOf(knowing)(`${onX}/transactions/${idText(txs.gift.id)}`);
    expect(consumedUtxos[0].credentials[0].publicKey).toBe(key.toString('base64'));
    const other = await answersOf(knowing)(`${onX}/transactions/${idText(txs.coin.id)}`);
    expect(Object.keys(other.consumedUtxos[0].credentials[0])).toEqual(['signature']);
  });

  const newestFirst = ids(txs.imported, txs.exported, txs.passed, txs.picture, txs.minting, txs.family, txs.coin, txs.gift, txs.avax);

  test('all of them, in pages of any size and both orders', async () => {
    for (const size of [1, 2, 4, 9, 100]) {
      expect(hashes(await walk(ask, `${onX}/transactions?pageSize=${size}`, 'transactions'))).toEqual(newestFirst);
      expect(hashes(await walk(ask, `${onX}/transactions?pageSize=${size}&sortOrder=asc`, 'transactions'))).toEqual(
        newestFirst.toReversed(),
      );
    }
    expect((await get(`${onX}/transactions`)).chainInfo).toEqual({ chainName: 'x-chain', network: 'local' });
  });

  test('by address, kind and time', async () => {
    const list = async (query: string) => hashes(await walk(ask, `${onX}/transactions?pageSize=2&${query}`, 'transactions'));
    expect(await list(`addresses=${carol}`)).toEqual(ids(txs.imported, txs.passed, txs.gift));
    expect(await list(`addresses=X-${carol},${alice}&sortOrder=asc&txTypes=BaseTx&txTypes=ImportTx`)).toEqual(ids(txs.gift, txs.imported));
    expect(await list(`addresses=${bob}&startTimestamp=3000&endTimestamp=6000`)).toEqual(
      ids(txs.passed, txs.picture, txs.minting, txs.family),
    );
    expect(await list('txTypes=CreateAssetTx')).toEqual(ids(txs.family, txs.coin, txs.avax));
    expect(await list('txTypes=CreateAssetTx&endTimestamp=3000')).toEqual(ids(txs.avax));
    expect(await list('startTimestamp=6000')).toEqual(ids(txs.imported, txs.exported));
    // Kinds of other chains match nothing, and hide nothing.
    expect(await list('txTypes=AddValidatorTx&txTypes=UNKNOWN')).toEqual([]);
    expect(await list('txTypes=AddValidatorTx&txTypes=ExportTx')).toEqual(ids(txs.exported));
    expect(await list(`addresses=${spelt(nobody)}`)).toEqual([]);
    expect((await refused(`${onX}/transactions?txTypes=SendTx&sortOrder=up&pageSize=0`)).message).toHaveLength(3);
  });

  test('of an asset', async () => {
    const list = async (asset: Id, query = '') =>
      hashes(await walk(ask, `${onX}/assets/${idText(asset)}/transactions?pageSize=1&${query}`, 'transactions'));
    expect(await list(txs.coin.id)).toEqual(ids(txs.minting, txs.coin));
    expect(await list(txs.family.id)).toEqual(ids(txs.passed, txs.picture, txs.family));
    expect(await list(txs.family.id, 'txTypes=OperationTx&endTimestamp=4000')).toEqual(ids(txs.picture));
    expect(await list(txs.family.id, 'txTypes=AddValidatorTx')).toEqual([]);
    expect(await refused(`${onX}/assets/${idText(txs.gift.id)}/transactions`)).toMatchObject({ status: 404 });
  });

  test('a page that grows too heavy ends early, and goes on', async () => {
    const heavy = worldChain(Array.from({ length: 7 }, (_, at) => payment(people.carol, BigInt(at + 1))));
    const reads = plainReads(heavy);
    // As if every transaction had 500 outputs more.
    const swollen: typeof reads = {
      ...reads,
      txs: async (query) =>
        (await reads.txs(query)).map((entry) => ({ ...entry, emitted: Array.from({ length: 500 }, () => entry.emitted[0]!) })),
    };
    const weighed = askData(servedBy(servedChain(swollen)));
    const first = await answersOf(weighed)(`${onX}/transactions?addresses=${carol}&txTypes=BaseTx&pageSize=5`);
    expect(first.transactions).toHaveLength(4);
    const all = await walk(weighed, `${onX}/transactions?addresses=${carol}&txTypes=BaseTx&pageSize=5`, 'transactions');
    expect(hashes(all)).toEqual(
      hashes(await walk(askData(servedBy(servedChain(reads))), `${onX}/transactions?addresses=${carol}&txTypes=BaseTx`, 'transactions')),
    );
  });

  test('that are not there', async () => {
    expect(await refused(`${onX}/transactions/${idText(chainID)}`)).toEqual({
      status: 404,
      message: `No accepted transaction ${idText(chainID)} on x-chain`,
    });
    expect((await refused(`${onX}/transactions/nonsense`)).status).toBe(400);
  });
});
