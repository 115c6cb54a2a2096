import { describe, expect, test } from 'bun:test';
import { effectsOf } from '../../avm/tx/effects.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import { unsignedBytes } from '../../avm/tx/tx.ts';
import type { Address } from '../../base/bytes/address.ts';
import { formatHex } from '../../base/bytes/hex.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { equal } from '../../base/bytes/octets.ts';
import {
  type AnyJson,
  addressText,
  createDataApiClient,
  errorReader,
  jsonReader,
  readAllPages,
  sampleLabels,
  xChainPath,
} from './data-requests.fixture.ts';
import {
  builder,
  cChain,
  chainID,
  maxLocktime,
  payment,
  pChain,
  people,
  sampleChain,
  sampleServed,
  sampleServedChain,
  txs,
  unusedAddress,
} from './sample-chain.fixture.ts';
import { createScanningReads } from './scanning-reads.fixture.ts';

const ask = createDataApiClient(sampleServed());
const get = jsonReader(ask);
const refused = errorReader(ask);
const [alice, bob, carol] = [addressText(people.alice), addressText(people.bob), addressText(people.carol)];
const { avax, coin, family } = sampleLabels;
const avaxID = avax.assetId;

const utxoIDs = (tx: Tx): string[] => {
  const { created, exported } = effectsOf(tx);
  return [...created, ...(exported?.utxos ?? [])].map(({ id }) => idText(id));
};
const hashes = (transactions: { txHash: string }[]) => transactions.map(({ txHash }) => txHash);
const sorted = (...owners: Address[]) => owners.sort().map(addressText);
const ids = (...of: Tx[]) => of.map(({ id }) => idText(id));

describe('blocks', () => {
  test('are listed newest first with all properties', async () => {
    const { blocks, chainInfo, nextPageToken } = await get(`${xChainPath}/blocks`);
    expect(chainInfo).toEqual({ chainName: 'x-chain', network: 'local' });
    expect(nextPageToken).toBeUndefined();
    const created = sampleChain().blocks.toReversed();
    expect(blocks).toEqual(
      created.map(({ id, parentID, height, time, txs: inside, bytes }) => ({
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
    expect(await readAllPages(ask, `${xChainPath}/blocks?pageSize=2`, 'blocks')).toEqual(blocks);
    for (const block of blocks)
      for (const blockId of [block.blockNumber, block.blockHash]) expect(await get(`${xChainPath}/blocks/${blockId}`)).toEqual(block);
  });

  test('are filtered by time: start inclusive, end exclusive', async () => {
    const numbers = async (query: string) =>
      (await get(`${xChainPath}/blocks?${query}`)).blocks.map(({ blockNumber }: AnyJson) => blockNumber);
    expect(await numbers('startTimestamp=3000')).toEqual(['5', '4', '3', '2']);
    expect(await numbers('endTimestamp=3000')).toEqual(['1', '0']);
    expect(await numbers('startTimestamp=3000&endTimestamp=4000')).toEqual(['3', '2']);
    expect(await numbers('startTimestamp=6001')).toEqual([]);
    expect(await numbers('startTimestamp=4000&endTimestamp=3000')).toEqual([]);
  });

  test('are listed by the node that built them', async () => {
    const built = await readAllPages(ask, `${xChainPath}/nodes/${builder}/blocks?pageSize=2`, 'blocks');
    expect(built.map(({ blockNumber }) => blockNumber)).toEqual(['5', '4', '3', '2', '1']);
    // The last page is full: block 0, which the node did not build, must not cause another page.
    expect(await readAllPages(ask, `${xChainPath}/nodes/${builder}/blocks?pageSize=5`, 'blocks')).toEqual(built);
    expect((await get(`${xChainPath}/nodes/NodeID-111111111111111111116DBWJs/blocks`)).blocks).toEqual([]);
    expect((await refused(`${xChainPath}/nodes/Node/blocks`)).status).toBe(400);
    const followed = createDataApiClient(sampleServed(undefined, { builder: undefined }));
    expect(await errorReader(followed)(`${xChainPath}/nodes/${builder}/blocks`)).toEqual({
      status: 404,
      message: 'This server does not know which node built the blocks of x-chain',
    });
    expect((await jsonReader(followed)(`${xChainPath}/blocks/1`)).proposerDetails).toBeUndefined();
  });

  test('unknown blocks are not found', async () => {
    for (const blockId of ['6', '999999999999999', avaxID]) expect((await refused(`${xChainPath}/blocks/${blockId}`)).status).toBe(404);
    expect((await refused(`${xChainPath}/blocks/one`)).status).toBe(400);
  });
});

describe('transactions', () => {
  const readTx = (tx: Tx) => get(`${xChainPath}/transactions/${idText(tx.id)}`);

  test('a payment', async () => {
    const tx = await readTx(txs.gift);
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
      blockHash: idText(sampleChain().blocks[1]!.id),
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
    expect(tx.emittedUtxos.map(({ utxoId }: AnyJson) => utxoId)).toEqual(utxoIDs(txs.gift));
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

  test('a lock time above 2^53 is exact', async () => {
    const { text } = await ask(`${xChainPath}/transactions/${idText(txs.gift.id)}`);
    expect(text).toContain(`"locktime":${maxLocktime}`);
  });

  test('creating and minting an asset', async () => {
    const created = await readTx(txs.coin);
    expect(created.assetCreated).toEqual({ ...coin, createdAtTimestamp: 3000, cap: 'variable' });
    expect(created.emittedUtxos.map(({ utxoType, asset, outputIndex }: AnyJson) => [outputIndex, utxoType, asset])).toEqual([
      ['0', 'transfer', { ...avax, amount: '348' }],
      ['1', 'mint', { ...coin, amount: '0' }],
      ['2', 'transfer', { ...coin, amount: '10' }],
    ]);
    expect(created.amountCreated).toEqual([
      { ...avax, amount: '348' },
      { ...coin, amount: '10' },
    ]);
    const minting = await readTx(txs.minting);
    expect(minting).toMatchObject({ txType: 'OperationTx', amountUnlocked: [{ ...coin, amount: '0' }] });
    expect(minting.consumedUtxos).toMatchObject([{ utxoType: 'mint', utxoId: created.emittedUtxos[1].utxoId }]);
    expect(minting.amountCreated).toEqual([{ ...coin, amount: '5' }]);
  });

  test('NFTs and properties', async () => {
    const created = await readTx(txs.family);
    expect(created.assetCreated).toEqual({ ...family, createdAtTimestamp: 3000, cap: 'variable' });
    expect(created.emittedUtxos.map(({ utxoType, groupId, payload }: AnyJson) => [utxoType, groupId, payload])).toEqual([
      ['transfer', undefined, undefined],
      ['mint', 0, undefined],
      ['mint', 1, undefined],
      ['mint', undefined, undefined],
    ]);
    const picture = await readTx(txs.picture);
    expect(picture.emittedUtxos[1]).toMatchObject({
      utxoType: 'transfer',
      groupId: 0,
      payload: `0x${Buffer.from('picture').toString('hex')}`,
      asset: { ...family, amount: '1' },
    });
    // Each operation has its own credential, after those of the inputs.
    const signatures = picture.consumedUtxos.map(({ credentials }: AnyJson) => Buffer.from(credentials[0].signature, 'base64')[0]);
    expect(signatures).toEqual([0, 1, 2]);
    const passed = await readTx(txs.passed);
    expect(passed.amountUnlocked).toEqual([{ ...family, amount: '2' }]);
    expect(passed.amountCreated).toEqual([{ ...family, amount: '1' }]);
  });

  test('export and import', async () => {
    const exported = await readTx(txs.exported);
    expect(exported).toMatchObject({ txType: 'ExportTx', destinationChain: idText(cChain) });
    expect(exported.emittedUtxos).toMatchObject([
      { outputIndex: '0', consumedOnChainId: idText(chainID) },
      { outputIndex: '1', consumedOnChainId: idText(cChain), createdOnChainId: idText(chainID), asset: { amount: '250' } },
    ]);
    expect(exported.amountCreated).toEqual([{ ...avax, amount: '299' }]);
    const imported = await readTx(txs.imported);
    expect(imported).toMatchObject({ txType: 'ImportTx', sourceChain: idText(pChain), amountUnlocked: [{ ...avax, amount: '77' }] });
    expect(imported.consumedUtxos).toMatchObject([
      { createdOnChainId: idText(pChain), consumedOnChainId: idText(chainID), timestamp: 5500, outputIndex: '7', credentials: [{}] },
    ]);
  });

  test('public keys of signers, if recovery is enabled', async () => {
    const key = Buffer.alloc(33, 9);
    const recovering = createDataApiClient(sampleServed(), {
      recover: (unsigned, signature) => (equal(unsigned, unsignedBytes(txs.gift)) && signature.length === 65 ? key : undefined),
    });
    const { consumedUtxos } = await jsonReader(recovering)(`${xChainPath}/transactions/${idText(txs.gift.id)}`);
    expect(consumedUtxos[0].credentials[0].publicKey).toBe(key.toString('base64'));
    const other = await jsonReader(recovering)(`${xChainPath}/transactions/${idText(txs.coin.id)}`);
    expect(Object.keys(other.consumedUtxos[0].credentials[0])).toEqual(['signature']);
  });

  const newestFirst = ids(txs.imported, txs.exported, txs.passed, txs.picture, txs.minting, txs.family, txs.coin, txs.gift, txs.avax);

  test('all transactions, in pages of any size and in both orders', async () => {
    for (const size of [1, 2, 4, 9, 100]) {
      expect(hashes(await readAllPages(ask, `${xChainPath}/transactions?pageSize=${size}`, 'transactions'))).toEqual(newestFirst);
      expect(hashes(await readAllPages(ask, `${xChainPath}/transactions?pageSize=${size}&sortOrder=asc`, 'transactions'))).toEqual(
        newestFirst.toReversed(),
      );
    }
    expect((await get(`${xChainPath}/transactions`)).chainInfo).toEqual({ chainName: 'x-chain', network: 'local' });
  });

  test('filters by address, type and time', async () => {
    const list = async (query: string) => hashes(await readAllPages(ask, `${xChainPath}/transactions?pageSize=2&${query}`, 'transactions'));
    expect(await list(`addresses=${carol}`)).toEqual(ids(txs.imported, txs.passed, txs.gift));
    expect(await list(`addresses=X-${carol},${alice}&sortOrder=asc&txTypes=BaseTx&txTypes=ImportTx`)).toEqual(ids(txs.gift, txs.imported));
    expect(await list(`addresses=${bob}&startTimestamp=3000&endTimestamp=6000`)).toEqual(
      ids(txs.passed, txs.picture, txs.minting, txs.family),
    );
    expect(await list('txTypes=CreateAssetTx')).toEqual(ids(txs.family, txs.coin, txs.avax));
    expect(await list('txTypes=CreateAssetTx&endTimestamp=3000')).toEqual(ids(txs.avax));
    expect(await list('startTimestamp=6000')).toEqual(ids(txs.imported, txs.exported));
    // Types of other chains match nothing and do not hide other matches.
    expect(await list('txTypes=AddValidatorTx&txTypes=UNKNOWN')).toEqual([]);
    expect(await list('txTypes=AddValidatorTx&txTypes=ExportTx')).toEqual(ids(txs.exported));
    expect(await list(`addresses=${addressText(unusedAddress)}`)).toEqual([]);
    expect((await refused(`${xChainPath}/transactions?txTypes=SendTx&sortOrder=up&pageSize=0`)).message).toHaveLength(3);
  });

  test('lists the transactions of an asset', async () => {
    const list = async (asset: Id, query = '') =>
      hashes(await readAllPages(ask, `${xChainPath}/assets/${idText(asset)}/transactions?pageSize=1&${query}`, 'transactions'));
    expect(await list(txs.coin.id)).toEqual(ids(txs.minting, txs.coin));
    expect(await list(txs.family.id)).toEqual(ids(txs.passed, txs.picture, txs.family));
    expect(await list(txs.family.id, 'txTypes=OperationTx&endTimestamp=4000')).toEqual(ids(txs.picture));
    expect(await list(txs.family.id, 'txTypes=AddValidatorTx')).toEqual([]);
    expect(await refused(`${xChainPath}/assets/${idText(txs.gift.id)}/transactions`)).toMatchObject({ status: 404 });
  });

  test('a page that would be too large ends early and has a next page', async () => {
    const chain = sampleChain(Array.from({ length: 7 }, (_, at) => payment(people.carol, BigInt(at + 1))));
    const reads = createScanningReads(chain);
    // Every transaction gets 500 outputs.
    const largeReads: typeof reads = {
      ...reads,
      txs: async (seqs, pin) =>
        (await reads.txs(seqs, pin)).map((entry) => ({ ...entry, emitted: Array.from({ length: 500 }, () => entry.emitted[0]!) })),
    };
    const ask500 = createDataApiClient(sampleServed(sampleServedChain(largeReads)));
    const first = await jsonReader(ask500)(`${xChainPath}/transactions?addresses=${carol}&txTypes=BaseTx&pageSize=5`);
    expect(first.transactions).toHaveLength(4);
    const all = await readAllPages(ask500, `${xChainPath}/transactions?addresses=${carol}&txTypes=BaseTx&pageSize=5`, 'transactions');
    expect(hashes(all)).toEqual(
      hashes(
        await readAllPages(
          createDataApiClient(sampleServed(sampleServedChain(reads))),
          `${xChainPath}/transactions?addresses=${carol}&txTypes=BaseTx`,
          'transactions',
        ),
      ),
    );
  });

  test('unknown transactions are not found', async () => {
    expect(await refused(`${xChainPath}/transactions/${idText(chainID)}`)).toEqual({
      status: 404,
      message: `No accepted transaction ${idText(chainID)} on x-chain`,
    });
    expect((await refused(`${xChainPath}/transactions/nonsense`)).status).toBe(400);
  });
});
