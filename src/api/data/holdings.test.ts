import { describe, expect, test } from 'bun:test';
import { effectsOf } from '../../avm/tx/effects.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import type { Address } from '../../base/bytes/address.ts';
import { formatHex } from '../../base/bytes/hex.ts';
import { idText } from '../../base/bytes/id.ts';
import { apiError } from '../rest/api-error.ts';
import {
  addressText,
  createDataApiClient,
  errorReader,
  jsonReader,
  networkPath,
  readAllPages,
  sampleLabels,
  xChainPath,
} from './data-requests.fixture.ts';
import {
  cChain,
  chainID,
  idNamed,
  payment,
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
const posted = (addresses: string) => ({ method: 'POST', body: JSON.stringify({ addresses }) });

describe('outputs', () => {
  const output = (tx: Tx, index: number) => {
    const { created, exported } = effectsOf(tx);
    return idText([...created, ...(exported?.utxos ?? [])][index]!.id);
  };
  const list = async (query: string) =>
    (await readAllPages(ask, `${xChainPath}/utxos?pageSize=2&${query}`, 'utxos')).map(({ utxoId }) => utxoId) as string[];

  test('of an address: spendable ones, locked or not, and exported ones', async () => {
    expect(new Set(await list(`addresses=${carol}`))).toEqual(
      new Set([output(txs.gift, 2), output(txs.gift, 3), output(txs.passed, 0), output(txs.imported, 0)]),
    );
    expect(new Set(await list(`addresses=X-${bob}`))).toEqual(
      new Set([
        output(txs.family, 2),
        output(txs.minting, 1),
        output(txs.picture, 0),
        output(txs.picture, 2),
        output(txs.exported, 0),
        output(txs.exported, 1),
      ]),
    );
    // Two owners must sign: it is listed only for both together.
    expect(await list(`addresses=${alice}`)).not.toContain(output(txs.gift, 1));
    expect(await list(`addresses=${alice},P-${bob}`)).toContain(output(txs.gift, 1));
    expect(await list(`addresses=${addressText(unusedAddress)}`)).toEqual([]);
  });

  test('filters by spent, asset and amount', async () => {
    const all = await readAllPages(ask, `${xChainPath}/utxos?addresses=${alice}&includeSpent=true&pageSize=3`, 'utxos');
    const spent = all.filter(({ consumingTxHash }) => consumingTxHash !== undefined);
    expect(spent.map(({ utxoId }) => utxoId).sort()).toEqual(
      [output(txs.avax, 0), output(txs.gift, 4), output(txs.coin, 1), output(txs.picture, 1)].sort(),
    );
    expect(spent.every(({ credentials }) => credentials.length === 1)).toBe(true);
    expect(await list(`addresses=${alice}`)).toEqual(all.filter((one) => !spent.includes(one)).map(({ utxoId }) => utxoId));
    expect(await list(`addresses=${alice}&assetId=${coin.assetId}&includeSpent=1&minUtxoAmount=1`)).toEqual([output(txs.coin, 2)]);
    expect(await list(`addresses=${alice}&assetId=${family.assetId}`)).toEqual([]);
    expect(await list(`addresses=${bob}&minUtxoAmount=250&sortBy=amount`)).toEqual([output(txs.picture, 0), output(txs.exported, 1)]);
    expect(await list(`addresses=${bob}&minUtxoAmount=18446744073709551615`)).toEqual([]);
  });

  test('sorts by time or amount, in both orders', async () => {
    for (const sortBy of ['timestamp', 'amount']) {
      const query = `addresses=${alice},${bob},${carol}&includeSpent=true&sortBy=${sortBy}`;
      const falling = await readAllPages(ask, `${xChainPath}/utxos?${query}&pageSize=3`, 'utxos');
      const keys = falling.map(({ timestamp, asset }) => (sortBy === 'amount' ? Number(asset.amount) : timestamp));
      expect(keys).toEqual(keys.toSorted((a, b) => b - a));
      expect(new Set(keys).size).toBeGreaterThan(3);
      expect(await readAllPages(ask, `${xChainPath}/utxos?${query}&pageSize=2&sortOrder=asc`, 'utxos')).toEqual(falling.toReversed());
    }
  });

  test('POST returns the same, with larger pages', async () => {
    const everybody = `${alice},${bob},${carol}`;
    const whole = (await get(`${xChainPath}/utxos?addresses=${everybody}&pageSize=100`)).utxos;
    expect((await get(`${xChainPath}/utxos?pageSize=1024`, posted(everybody))).utxos).toEqual(whole);
    expect(await readAllPages(ask, `${xChainPath}/utxos?pageSize=4`, 'utxos', posted(everybody))).toEqual(whole);
    expect(await refused(`${xChainPath}/utxos?pageSize=1025`, posted('nonsense'))).toEqual({
      status: 400,
      message: [expect.stringContaining('addresses'), expect.stringContaining('pageSize')],
    });
    expect((await refused(`${xChainPath}/utxos`, { method: 'POST', body: '{}' })).message).toEqual(['addresses must be given']);
  });

  test('rejects missing addresses and those of another network', async () => {
    expect(await refused(`${xChainPath}/utxos`)).toEqual({ status: 400, message: ['addresses must be given'] });
    expect((await refused(`${xChainPath}/utxos?addresses=fuji1nonsense&minUtxoAmount=-1&sortBy=name`)).message).toHaveLength(3);
    expect((await refused(`${xChainPath}/utxos?addresses=${Array.from({ length: 65 }, () => alice).join(',')}`)).status).toBe(400);
  });

  test('shows the bytes of an output with their checksum', async () => {
    const [utxo] = (await get(`${xChainPath}/utxos?addresses=${alice}&assetId=${coin.assetId}&minUtxoAmount=1`)).utxos;
    expect(utxo.utxoBytes).toBe(formatHex('hex', effectsOf(txs.coin).created[2]!.bytes));
  });
});

describe('balances', () => {
  const read = async (...owners: string[]) => (await get(`${xChainPath}/balances?addresses=${owners.join(',')}`)).balances;
  const at = async (time: number, ...owners: string[]) =>
    (await get(`${xChainPath}/balances?addresses=${owners.join(',')}&blockTimestamp=${time}`)).balances;

  test('unlocked, locked and exported', async () => {
    expect(await get(`${xChainPath}/balances?addresses=${bob}`)).toEqual({
      balances: {
        unlocked: [
          { ...avax, amount: '547', utxoCount: 2 },
          { ...coin, amount: '5', utxoCount: 1 },
        ],
        locked: [],
        atomicMemoryUnlocked: [{ ...avax, amount: '250', utxoCount: 1, sharedWithChainId: idText(cChain) }],
        atomicMemoryLocked: [],
      },
      chainInfo: { chainName: 'x-chain', network: 'local' },
    });
    expect(await read(carol)).toMatchObject({
      unlocked: [
        { ...avax, amount: '176', utxoCount: 2 },
        { ...family, amount: '1', utxoCount: 1 },
      ],
      locked: [{ ...avax, amount: '50', utxoCount: 1 }],
    });
    // An output that two owners must sign for counts once, for both together.
    expect((await read(alice)).unlocked[0]).toEqual({ ...avax, amount: '348', utxoCount: 1 });
    expect((await read(alice, bob)).unlocked[0]).toEqual({ ...avax, amount: '1095', utxoCount: 4 });
    expect(await read(addressText(unusedAddress))).toEqual({ unlocked: [], locked: [], atomicMemoryUnlocked: [], atomicMemoryLocked: [] });
  });

  test('balances right before a time', async () => {
    expect((await at(1000, alice, bob)).unlocked).toEqual([]);
    expect((await at(1001, alice, bob)).unlocked).toEqual([{ ...avax, amount: '1500', utxoCount: 2 }]);
    expect((await at(2000, alice)).unlocked).toEqual([{ ...avax, amount: '1000', utxoCount: 1 }]);
    expect((await at(2001, alice)).unlocked).toEqual([{ ...avax, amount: '349', utxoCount: 1 }]);
    expect((await at(6000, bob)).atomicMemoryUnlocked).toEqual([]);
    // Locked at that time, unlocked now.
    expect((await at(4999, carol)).locked).toEqual([{ ...avax, amount: '150', utxoCount: 2 }]);
    expect((await at(5000, carol)).locked).toEqual([{ ...avax, amount: '50', utxoCount: 1 }]);
    expect(await at(999_999_999, bob)).toEqual(await read(bob));
  });

  test('rejects missing addresses', async () => {
    expect(await refused(`${xChainPath}/balances`)).toEqual({ status: 400, message: ['addresses must be given'] });
  });
});

describe('assets', () => {
  test('details and current supply', async () => {
    expect(await get(`${xChainPath}/assets/${coin.assetId}`)).toEqual({
      ...coin,
      createdAtTimestamp: 3000,
      cap: 'variable',
      supply: '15',
      nftSupply: '0',
      minters: [alice],
      mintRights: [{ addresses: [alice], threshold: 1 }],
      unitType: 'secp256k1',
      createdInBlock: '2',
      firstActivityTimestamp: 3000,
      lastActivityTimestamp: 3000,
      txCount: 2,
    });
    expect(await get(`${xChainPath}/assets/${family.assetId}`)).toMatchObject({
      ...family,
      supply: '1',
      nftSupply: '1',
      minters: [bob],
      mintRights: [{ addresses: [bob], threshold: 1 }],
      unitType: 'nft',
      txCount: 3,
    });
    expect(await get(`${xChainPath}/assets/${avax.assetId}`)).toMatchObject({
      ...avax,
      cap: 'fixed',
      createdAtTimestamp: 1000,
      minters: [],
    });
  });

  test('other transactions and unknown ids are not found', async () => {
    const gift = idText(txs.gift.id);
    expect(await refused(`${xChainPath}/assets/${gift}`)).toEqual({ status: 404, message: `Transaction ${gift} does not create an asset` });
    expect(await refused(`${xChainPath}/assets/${idText(chainID)}`)).toEqual({
      status: 404,
      message: `No asset ${idText(chainID)} on x-chain`,
    });
    expect((await refused(`${xChainPath}/assets/AVAX`)).status).toBe(400);
  });

  test('for an unknown asset only the id is shown', async () => {
    const unknownID = idNamed('unknown asset');
    const paid = payment(people.carol, 3n);
    const { outputs } = paid.unsigned;
    const foreign = { ...paid, unsigned: { ...paid.unsigned, outputs: outputs.map((output) => ({ ...output, assetID: unknownID })) } };
    const reads = createScanningReads(sampleChain([foreign]));
    const { utxos } = await jsonReader(createDataApiClient(sampleServed(sampleServedChain(reads))))(
      `${xChainPath}/utxos?addresses=${carol}&minUtxoAmount=3&sortBy=amount&sortOrder=asc&pageSize=1`,
    );
    const label = { assetId: idText(unknownID), name: '', symbol: '', denomination: 0, type: 'secp256k1' };
    expect(utxos[0].asset).toEqual({ ...label, amount: '3' });
    // Unless it was created on another chain of this server.
    const entry = { ...(await createScanningReads(sampleChain()).assets([txs.coin.id])).get(txs.coin.id)!, id: unknownID };
    const elsewhere = { ...createScanningReads(sampleChain()), assetNames: async () => [entry] };
    const both = sampleServed(sampleServedChain(reads), {
      chains: [sampleServedChain(reads), sampleServedChain(elsewhere, { id: idNamed('other'), aliases: ['other'], slug: 'other' })],
    });
    const [labelled] = (await jsonReader(createDataApiClient(both))(`${xChainPath}/utxos?addresses=${carol}&assetId=${idText(unknownID)}`))
      .utxos;
    expect(labelled.asset).toEqual({ ...label, name: 'Coin', symbol: 'COIN', denomination: 2, amount: '3' });
  });
});

describe('addresses', () => {
  test('lists the chains on which they have appeared', async () => {
    expect(await get(`${networkPath}/addresses:listChainIds?addresses=X-${alice},${addressText(unusedAddress)},P-${carol}`)).toEqual({
      addresses: [alice, carol].map((address) => ({ address, blockchainIds: [idText(chainID)] })),
    });
    expect((await refused(`${networkPath}/addresses:listChainIds`)).status).toBe(400);
    expect((await refused(`/v1/networks/fuji/addresses:listChainIds?addresses=${alice}`)).status).toBe(404);
  });

  test('last activity', async () => {
    const last = {
      timestamp: 6000,
      blockNumber: '5',
      txHash: idText(txs.imported.id),
      utxoId: idText(effectsOf(txs.imported).created[0]!.id),
      isConsumed: false,
      chainName: 'x-chain',
      network: 'local',
    };
    expect(await get(`${xChainPath}/lastActivityTimestampByAddresses?addresses=${carol},${alice}`)).toEqual(last);
    expect(await get(`${xChainPath}/lastActivityTimestampByAddresses`, posted(`${carol},${alice}`))).toEqual(last);
    // The last activity consumed its output.
    expect(await get(`${xChainPath}/lastActivityTimestampByAddresses?addresses=${alice}`)).toMatchObject({
      blockNumber: '4',
      txHash: idText(txs.passed.id),
      isConsumed: true,
    });
    for (const sent of [undefined, posted(addressText(unusedAddress))]) {
      const target = `${xChainPath}/lastActivityTimestampByAddresses${sent === undefined ? `?addresses=${addressText(unusedAddress)}` : ''}`;
      expect(await refused(target, sent)).toEqual({ status: 404, message: 'None of the addresses has appeared on x-chain' });
    }
    expect((await refused(`${xChainPath}/lastActivityTimestampByAddresses`)).status).toBe(400);
  });
});

describe('a chain with history from before linearization', () => {
  const plain = createScanningReads(sampleChain());
  const incomplete = { ...plain, completeFrom: async () => 3 };

  test('responses contain the height from which on the history is complete', async () => {
    const followed = jsonReader(createDataApiClient(sampleServed(sampleServedChain(incomplete))));
    for (const target of [
      'blocks',
      'transactions',
      `utxos?addresses=${alice}`,
      `balances?addresses=${alice}`,
      'vertices',
      `assets/${coin.assetId}`,
    ])
      expect([target, (await followed(`${xChainPath}/${target}`)).historyCompleteFromBlock]).toEqual([target, '3']);
    expect((await followed(`${xChainPath}/lastActivityTimestampByAddresses?addresses=${alice}`)).historyCompleteFromBlock).toBe('3');
  });

  test('outputs and balances wait for the address backfill, or fail with it', async () => {
    const backfilled: (readonly Address[])[] = [];
    const completed = sampleServedChain(incomplete, {
      backfillAddresses: async (addresses) => {
        backfilled.push(addresses);
        return 'complete';
      },
    });
    const followed = createDataApiClient(sampleServed(completed));
    for (const target of ['utxos', 'balances']) await jsonReader(followed)(`${xChainPath}/${target}?addresses=${alice},${bob}`);
    await jsonReader(followed)(`${xChainPath}/utxos`, posted(carol));
    expect(backfilled).toEqual([[people.alice, people.bob], [people.alice, people.bob], [people.carol]]);
    const down = sampleServedChain(incomplete, {
      backfillAddresses: async () => Promise.reject(apiError(503, 'The followed node does not answer')),
    });
    expect(await errorReader(createDataApiClient(sampleServed(down)))(`${xChainPath}/balances?addresses=${alice}`)).toEqual({
      status: 503,
      message: 'The followed node does not answer',
    });
  });
});

test('pages stay consistent while blocks arrive', async () => {
  let reads = createScanningReads(sampleChain());
  const growing = new Proxy(reads, { get: (_, name) => reads[name as keyof typeof reads] });
  const growingAsk = createDataApiClient(sampleServed(sampleServedChain(growing)));
  const targets = [
    ['blocks', `${xChainPath}/blocks?pageSize=2`],
    ['transactions', `${xChainPath}/transactions?pageSize=2&addresses=${carol}`],
    ['transactions', `${xChainPath}/transactions?pageSize=2&sortOrder=asc`],
    ['utxos', `${xChainPath}/utxos?pageSize=2&addresses=${carol}`],
    ['utxos', `${xChainPath}/utxos?pageSize=2&addresses=${carol}&sortBy=amount`],
  ] as const;
  for (const [name, target] of targets) {
    reads = createScanningReads(sampleChain());
    const before = await readAllPages(growingAsk, target, name);
    const seen: unknown[] = [];
    const extra: Tx[] = [];
    let token = '';
    do {
      const page = await jsonReader(growingAsk)(token === '' ? target : `${target}&pageToken=${token}`);
      seen.push(...page[name]);
      token = page.nextPageToken ?? '';
      extra.push(payment(people.carol, BigInt(40 + extra.length)));
      reads = createScanningReads(sampleChain(extra));
    } while (token !== '');
    expect(seen).toEqual(before);
    expect(extra.length).toBeGreaterThan(1);
  }
});
