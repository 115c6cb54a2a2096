import { describe, expect, test } from 'bun:test';
import { refuse } from '../api/refusal.ts';
import type { Address } from '../bytes/address.ts';
import { formatHex } from '../bytes/hex.ts';
import { idText } from '../bytes/id.ts';
import { effectsOf } from '../tx/effects.ts';
import type { Tx } from '../tx/tx.ts';
import { answersOf, askData, labels, local, onX, refusalsOf, spelt, walk } from './ask.fixture.ts';
import { plainReads } from './plain-reads.fixture.ts';
import { cChain, chainID, idNamed, nobody, payment, people, servedBy, servedChain, txs, worldChain } from './world.fixture.ts';

const ask = askData(servedBy());
const get = answersOf(ask);
const refused = refusalsOf(ask);
const [alice, bob, carol] = [spelt(people.alice), spelt(people.bob), spelt(people.carol)];
const { avax, coin, family } = labels;
const posted = (addresses: string) => ({ method: 'POST', body: JSON.stringify({ addresses }) });

describe('outputs', () => {
  const output = (tx: Tx, index: number) => {
    const { created, exported } = effectsOf(tx);
    return idText([...created, ...(exported?.utxos ?? [])][index]!.id);
  };
  const list = async (query: string) =>
    (await walk(ask, `${onX}/utxos?pageSize=2&${query}`, 'utxos')).map(({ utxoId }) => utxoId) as string[];

  test('of an address: what it may spend, locked or not, and what it sent away', async () => {
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
    // Two owners must sign: it is there for both together.
    expect(await list(`addresses=${alice}`)).not.toContain(output(txs.gift, 1));
    expect(await list(`addresses=${alice},P-${bob}`)).toContain(output(txs.gift, 1));
    expect(await list(`addresses=${spelt(nobody)}`)).toEqual([]);
  });

  test('spent ones, by asset, by amount', async () => {
    const all = await walk(ask, `${onX}/utxos?addresses=${alice}&includeSpent=true&pageSize=3`, 'utxos');
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

  test('sorted by time or amount, both ways', async () => {
    for (const sortBy of ['timestamp', 'amount']) {
      const query = `addresses=${alice},${bob},${carol}&includeSpent=true&sortBy=${sortBy}`;
      const falling = await walk(ask, `${onX}/utxos?${query}&pageSize=3`, 'utxos');
      const keys = falling.map(({ timestamp, asset }) => (sortBy === 'amount' ? Number(asset.amount) : timestamp));
      expect(keys).toEqual(keys.toSorted((a, b) => b - a));
      expect(new Set(keys).size).toBeGreaterThan(3);
      expect(await walk(ask, `${onX}/utxos?${query}&pageSize=2&sortOrder=asc`, 'utxos')).toEqual(falling.toReversed());
    }
  });

  test('asked for in a body: the same, in larger pages', async () => {
    const everybody = `${alice},${bob},${carol}`;
    const whole = (await get(`${onX}/utxos?addresses=${everybody}&pageSize=100`)).utxos;
    expect((await get(`${onX}/utxos?pageSize=1024`, posted(everybody))).utxos).toEqual(whole);
    expect(await walk(ask, `${onX}/utxos?pageSize=4`, 'utxos', posted(everybody))).toEqual(whole);
    expect(await refused(`${onX}/utxos?pageSize=1025`, posted('nonsense'))).toEqual({
      status: 400,
      message: [expect.stringContaining('addresses'), expect.stringContaining('pageSize')],
    });
    expect((await refused(`${onX}/utxos`, { method: 'POST', body: '{}' })).message).toEqual(['addresses must be given']);
  });

  test('no addresses, or none of this network', async () => {
    expect(await refused(`${onX}/utxos`)).toEqual({ status: 400, message: ['addresses must be given'] });
    expect((await refused(`${onX}/utxos?addresses=fuji1nonsense&minUtxoAmount=-1&sortBy=name`)).message).toHaveLength(3);
    expect((await refused(`${onX}/utxos?addresses=${Array.from({ length: 65 }, () => alice).join(',')}`)).status).toBe(400);
  });

  test('the bytes of an output with their checksum', async () => {
    const [utxo] = (await get(`${onX}/utxos?addresses=${alice}&assetId=${coin.assetId}&minUtxoAmount=1`)).utxos;
    expect(utxo.utxoBytes).toBe(formatHex('hex', effectsOf(txs.coin).created[2]!.bytes));
  });
});

describe('balances', () => {
  const read = async (...owners: string[]) => (await get(`${onX}/balances?addresses=${owners.join(',')}`)).balances;
  const at = async (time: number, ...owners: string[]) =>
    (await get(`${onX}/balances?addresses=${owners.join(',')}&blockTimestamp=${time}`)).balances;

  test('to be had, locked, and on their way', async () => {
    expect(await get(`${onX}/balances?addresses=${bob}`)).toEqual({
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
    // What two must sign for counts for both together, and once.
    expect((await read(alice)).unlocked[0]).toEqual({ ...avax, amount: '348', utxoCount: 1 });
    expect((await read(alice, bob)).unlocked[0]).toEqual({ ...avax, amount: '1095', utxoCount: 4 });
    expect(await read(spelt(nobody))).toEqual({ unlocked: [], locked: [], atomicMemoryUnlocked: [], atomicMemoryLocked: [] });
  });

  test('as they were right before a time', async () => {
    expect((await at(1000, alice, bob)).unlocked).toEqual([]);
    expect((await at(1001, alice, bob)).unlocked).toEqual([{ ...avax, amount: '1500', utxoCount: 2 }]);
    expect((await at(2000, alice)).unlocked).toEqual([{ ...avax, amount: '1000', utxoCount: 1 }]);
    expect((await at(2001, alice)).unlocked).toEqual([{ ...avax, amount: '349', utxoCount: 1 }]);
    expect((await at(6000, bob)).atomicMemoryUnlocked).toEqual([]);
    // What was locked then, though it no longer is.
    expect((await at(4999, carol)).locked).toEqual([{ ...avax, amount: '150', utxoCount: 2 }]);
    expect((await at(5000, carol)).locked).toEqual([{ ...avax, amount: '50', utxoCount: 1 }]);
    expect(await at(999_999_999, bob)).toEqual(await read(bob));
  });

  test('no addresses', async () => {
    expect(await refused(`${onX}/balances`)).toEqual({ status: 400, message: ['addresses must be given'] });
  });
});

describe('assets', () => {
  test('what they are, and how they stand', async () => {
    expect(await get(`${onX}/assets/${coin.assetId}`)).toEqual({
      ...coin,
      createdAtTimestamp: 3000,
      cap: 'variable',
      supply: '15',
      nftSupply: '0',
      minters: [alice],
      firstActivityTimestamp: 3000,
      lastActivityTimestamp: 3000,
      txCount: 2,
    });
    expect(await get(`${onX}/assets/${family.assetId}`)).toMatchObject({
      ...family,
      supply: '1',
      nftSupply: '1',
      minters: [bob],
      txCount: 3,
    });
    expect(await get(`${onX}/assets/${avax.assetId}`)).toMatchObject({ ...avax, cap: 'fixed', createdAtTimestamp: 1000, minters: [] });
  });

  test('that are none', async () => {
    const gift = idText(txs.gift.id);
    expect(await refused(`${onX}/assets/${gift}`)).toEqual({ status: 404, message: `Transaction ${gift} does not create an asset` });
    expect(await refused(`${onX}/assets/${idText(chainID)}`)).toEqual({ status: 404, message: `No asset ${idText(chainID)} on x-chain` });
    expect((await refused(`${onX}/assets/AVAX`)).status).toBe(400);
  });

  test('of one that nobody here knows, only the id is told', async () => {
    const stranger = idNamed('stranger');
    const paid = payment(people.carol, 3n);
    const { outputs } = paid.unsigned;
    const foreign = { ...paid, unsigned: { ...paid.unsigned, outputs: outputs.map((output) => ({ ...output, assetID: stranger })) } };
    const reads = plainReads(worldChain([foreign]));
    const { utxos } = await answersOf(askData(servedBy(servedChain(reads))))(
      `${onX}/utxos?addresses=${carol}&minUtxoAmount=3&sortBy=amount&sortOrder=asc&pageSize=1`,
    );
    const label = { assetId: idText(stranger), name: '', symbol: '', denomination: 0, type: 'secp256k1' };
    expect(utxos[0].asset).toEqual({ ...label, amount: '3' });
    // Unless another chain of this server made it.
    const entry = { ...(await plainReads(worldChain()).assets([txs.coin.id])).get(txs.coin.id)!, id: stranger };
    const elsewhere = { ...plainReads(worldChain()), assets: async () => new Map([[stranger, entry]]) };
    const both = servedBy(servedChain(reads), {
      chains: [servedChain(reads), servedChain(elsewhere, { id: idNamed('other'), aliases: ['other'], slug: 'other' })],
    });
    const [known] = (await answersOf(askData(both))(`${onX}/utxos?addresses=${carol}&assetId=${idText(stranger)}`)).utxos;
    expect(known.asset).toEqual({ ...label, name: 'Coin', symbol: 'COIN', denomination: 2, amount: '3' });
  });
});

describe('addresses', () => {
  test('where they have appeared', async () => {
    expect(await get(`${local}/addresses:listChainIds?addresses=X-${alice},${spelt(nobody)},P-${carol}`)).toEqual({
      addresses: [alice, carol].map((address) => ({ address, blockchainIds: [idText(chainID)] })),
    });
    expect((await refused(`${local}/addresses:listChainIds`)).status).toBe(400);
    expect((await refused(`/v1/networks/fuji/addresses:listChainIds?addresses=${alice}`)).status).toBe(404);
  });

  test('when they last did something', async () => {
    const last = {
      timestamp: 6000,
      blockNumber: '5',
      txHash: idText(txs.imported.id),
      utxoId: idText(effectsOf(txs.imported).created[0]!.id),
      isConsumed: false,
      chainName: 'x-chain',
      network: 'local',
    };
    expect(await get(`${onX}/lastActivityTimestampByAddresses?addresses=${carol},${alice}`)).toEqual(last);
    expect(await get(`${onX}/lastActivityTimestampByAddresses`, posted(`${carol},${alice}`))).toEqual(last);
    // The last of it was taken away.
    expect(await get(`${onX}/lastActivityTimestampByAddresses?addresses=${alice}`)).toMatchObject({
      blockNumber: '4',
      txHash: idText(txs.passed.id),
      isConsumed: true,
    });
    for (const sent of [undefined, posted(spelt(nobody))]) {
      const target = `${onX}/lastActivityTimestampByAddresses${sent === undefined ? `?addresses=${spelt(nobody)}` : ''}`;
      expect(await refused(target, sent)).toEqual({ status: 404, message: 'None of the addresses has ever appeared on x-chain' });
    }
    expect((await refused(`${onX}/lastActivityTimestampByAddresses`)).status).toBe(400);
  });
});

describe('a chain that is older than what is known of it', () => {
  const plain = plainReads(worldChain());
  const older = { ...plain, completeFrom: async () => 3 };

  test('answers say from where on they are whole', async () => {
    const followed = answersOf(askData(servedBy(servedChain(older))));
    for (const target of [
      'blocks',
      'transactions',
      `utxos?addresses=${alice}`,
      `balances?addresses=${alice}`,
      'vertices',
      `assets/${coin.assetId}`,
    ])
      expect([target, (await followed(`${onX}/${target}`)).historyCompleteFromBlock]).toEqual([target, '3']);
    expect((await followed(`${onX}/lastActivityTimestampByAddresses?addresses=${alice}`)).historyCompleteFromBlock).toBe('3');
  });

  test('outputs and balances are completed first, or refused', async () => {
    const asked: (readonly Address[])[] = [];
    const completed = servedChain(older, { complete: async (addresses) => void asked.push(addresses) });
    const followed = askData(servedBy(completed));
    for (const target of ['utxos', 'balances']) await answersOf(followed)(`${onX}/${target}?addresses=${alice},${bob}`);
    await answersOf(followed)(`${onX}/utxos`, posted(carol));
    expect(asked).toEqual([[people.alice, people.bob], [people.alice, people.bob], [people.carol]]);
    const down = servedChain(older, { complete: async () => Promise.reject(refuse(503, 'The followed node does not answer')) });
    expect(await refusalsOf(askData(servedBy(down)))(`${onX}/balances?addresses=${alice}`)).toEqual({
      status: 503,
      message: 'The followed node does not answer',
    });
  });
});

test('pages fit together while the chain goes on', async () => {
  let reads = plainReads(worldChain());
  const growing = new Proxy(reads, { get: (_, name) => reads[name as keyof typeof reads] });
  const asking = askData(servedBy(servedChain(growing)));
  const targets = [
    ['blocks', `${onX}/blocks?pageSize=2`],
    ['transactions', `${onX}/transactions?pageSize=2&addresses=${carol}`],
    ['transactions', `${onX}/transactions?pageSize=2&sortOrder=asc`],
    ['utxos', `${onX}/utxos?pageSize=2&addresses=${carol}`],
    ['utxos', `${onX}/utxos?pageSize=2&addresses=${carol}&sortBy=amount`],
  ] as const;
  for (const [name, target] of targets) {
    reads = plainReads(worldChain());
    const before = await walk(asking, target, name);
    const seen: unknown[] = [];
    const extra: Tx[] = [];
    let token = '';
    do {
      const page = await answersOf(asking)(token === '' ? target : `${target}&pageToken=${token}`);
      seen.push(...page[name]);
      token = page.nextPageToken ?? '';
      extra.push(payment(people.carol, BigInt(40 + extra.length)));
      reads = plainReads(worldChain(extra));
    } while (token !== '');
    expect(seen).toEqual(before);
    expect(extra.length).toBeGreaterThan(1);
  }
});
