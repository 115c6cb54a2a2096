import { afterAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { createGenerator } from '../../test/generator.ts';
import { cChain, localModel, openLocalChain, pChain, startByHand } from '../../test/local-chain.ts';
import { createRandom } from '../../test/random.ts';
import { createWallet, ewoq, ownedBy, transfer } from '../../test/wallet-kit.ts';
import { type Address, addressFromBytes } from '../bytes/address.ts';
import { hash160, sha256 } from '../bytes/hash.ts';
import { type Id, idOf, idText } from '../bytes/id.ts';
import { recoverNative } from '../crypto/curve-native.ts';
import { genesisBlock } from '../genesis/genesis-block.ts';
import { networkGenesis } from '../genesis/network-genesis.ts';
import { migrateStore } from '../index/migrate.ts';
import { openReads } from '../index-read/open-reads.ts';
import { sqliteIndex } from '../index-sqlite/sqlite-index.ts';
import { sqliteSql } from '../index-sqlite/sqlite-sql.ts';
import { networkOf } from '../network.ts';
import type { Block } from '../tx/block.ts';
import { consumedBy } from '../tx/effects.ts';
import { parseTx, signedPart } from '../tx/tx.ts';
import { makeUtxo, type Utxo } from '../tx/utxo.ts';
import { type Ask, answersOf, askData, onX, spelt, walk } from './ask.fixture.ts';
import { type Deposit, plainReads } from './plain-reads.fixture.ts';
import type { RecoverPublicKey } from './render-credential.ts';
import { servedBy, servedChain } from './world.fixture.ts';

/** Random transactions of every kind, judged by the real rules; the rows over the real index against the rows over a plain list of blocks. */
const seed = 11;
const blockCount = 40;

const world = grow();
afterAll(world.close);

const recoverKey: RecoverPublicKey = (tx, signature) =>
  recoverNative(sha256(signedPart(tx)), signature.subarray(0, 64), signature[64] as number);
const asked = (reads: Parameters<typeof servedChain>[0], recover = recoverKey): Ask => {
  const chain = servedChain(reads, { id: world.chainID, feeAsset: world.feeAsset });
  return askData(servedBy(chain, { now: world.now }), { recover, report: (error) => expect(error).toBeUndefined() });
};
const real = asked(world.index);
const plain = asked(plainReads(world));
const random = createRandom(seed);
const addresses = [...world.addresses];
const some = (): string => Array.from({ length: 1 + random.below(3) }, () => spelt(random.pick(addresses))).join(',');
const time = (): number => Number(random.pick(world.blocks).time) + random.below(2);

/** Both must say the same, page by page. */
async function same(target: string, name: string): Promise<unknown[]> {
  const pages = `${target}${target.includes('?') ? '&' : '?'}pageSize=${4 + random.below(40)}`;
  const [told, expected] = [await walk(real, pages, name), await walk(plain, pages, name)];
  expect({ target, told }).toEqual({ target, told: expected });
  expect(told.filter((item) => 'flaws' in item)).toEqual([]);
  return told;
}

describe(`a chain of ${blockCount} random blocks`, () => {
  test('has something of every kind', async () => {
    const kinds = new Set((await walk(real, `${onX}/transactions?pageSize=100`, 'transactions')).map(({ txType }) => txType));
    expect([...kinds].sort()).toEqual(['BaseTx', 'CreateAssetTx', 'ExportTx', 'ImportTx', 'OperationTx']);
  });

  test('blocks', async () => {
    expect(await same(`${onX}/blocks`, 'blocks')).toHaveLength(world.blocks.length);
    for (let round = 0; round < 5; round++) await same(`${onX}/blocks?startTimestamp=${time()}&endTimestamp=${time()}`, 'blocks');
  });

  test('transactions, of all, of addresses, of assets', async () => {
    expect((await same(`${onX}/transactions`, 'transactions')).length).toBeGreaterThan(blockCount);
    for (let round = 0; round < 6; round++) {
      const filter = random.pick(['', '&txTypes=OperationTx&txTypes=BaseTx', `&startTimestamp=${time()}`, `&endTimestamp=${time()}`]);
      await same(`${onX}/transactions?sortOrder=${random.pick(['asc', 'desc'])}${filter}`, 'transactions');
      await same(`${onX}/transactions?addresses=${some()}&sortOrder=${random.pick(['asc', 'desc'])}${filter}`, 'transactions');
      await same(`${onX}/assets/${idText(random.pick(world.assets))}/transactions?${filter}`, 'transactions');
    }
  }, 60_000);

  test('outputs', async () => {
    for (let round = 0; round < 30; round++) {
      const sort = `sortBy=${random.pick(['timestamp', 'amount'])}&sortOrder=${random.pick(['asc', 'desc'])}`;
      const filter = random.pick(['', `&assetId=${idText(random.pick(world.assets))}`, '&minUtxoAmount=1', '&minUtxoAmount=1000000']);
      await same(`${onX}/utxos?addresses=${some()}&${sort}${filter}&includeSpent=${random.pick(['true', 'false'])}`, 'utxos');
    }
  });

  test('balances, assets and addresses', async () => {
    const both = async (target: string) => {
      const [told, expected] = [await real(target), await plain(target)];
      expect({ target, json: told.json, flaws: told.flaws }).toEqual({ target, json: expected.json, flaws: [] });
    };
    for (let round = 0; round < 20; round++) {
      await both(`${onX}/balances?addresses=${some()}`);
      await both(`${onX}/balances?addresses=${some()}&blockTimestamp=${time()}`);
      await both(`${onX}/lastActivityTimestampByAddresses?addresses=${some()}`);
      await both(`/v1/networks/local/addresses:listChainIds?addresses=${some()}`);
    }
    for (const asset of world.assets) await both(`${onX}/assets/${idText(asset)}`);
  });

  test('sums of a transaction are those of its outputs, and its signers their owners', async () => {
    const owners = new Set(world.keys.map(spelt));
    let recovered = 0;
    const counting = asked(world.index, (tx, signature) => {
      recovered++;
      return recoverKey(tx, signature);
    });
    for (const tx of await walk(counting, `${onX}/transactions?pageSize=100`, 'transactions')) {
      expect(summed(tx.consumedUtxos)).toEqual(amounts(tx.amountUnlocked));
      expect(summed(tx.emittedUtxos)).toEqual(amounts(tx.amountCreated));
      for (const { credentials, addresses: all, threshold } of tx.consumedUtxos) {
        expect(credentials).toHaveLength(threshold);
        const signers = credentials.map(({ publicKey }: { publicKey: string }) => signer(publicKey));
        expect(signers.every((one: string) => all.includes(one) && owners.has(one))).toBe(true);
      }
    }
    expect(recovered).toBe(owners.size);
  });

  test('utxos in a body as in a query', async () => {
    const all = addresses.slice(0, 30).map(spelt).join(',');
    const sent = { method: 'POST', body: JSON.stringify({ addresses: all }) };
    const { utxos } = await answersOf(real)(`${onX}/utxos?pageSize=1024`, sent);
    expect(utxos.length).toBeGreaterThan(0);
    expect(await walk(real, `${onX}/utxos?pageSize=100&addresses=${all}`, 'utxos')).toEqual(utxos);
  });
});

type Amount = { readonly assetId: string; readonly type: string; readonly amount: string };
const amounts = (list: readonly Amount[]) => new Map(list.map(({ assetId, type, amount }) => [assetId + type, BigInt(amount)]));
function summed(utxos: readonly { readonly asset: Amount }[]): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { asset } of utxos) {
    const key = asset.assetId + asset.type;
    sums.set(key, (sums.get(key) ?? 0n) + BigInt(asset.amount));
  }
  return sums;
}
const signer = (key: string): string => spelt(addressFromBytes(hash160(Buffer.from(key, 'base64'))));

function grow() {
  const random = createRandom(seed);
  let clock = 1_763_000_000n;
  const now = () => clock;
  const accepted: Block[] = [];
  const local = openLocalChain({ now, onAccepted: (block) => accepted.push(block) });
  const engine = startByHand(local.chain, now);
  const model = localModel();
  const wallet = createWallet('data', { keys: [ewoq], count: 6 });
  const generator = createGenerator(
    { random, model, wallet, now, lockedUntil: () => clock + BigInt(1 + random.below(120)), chains: [pChain, cChain], holds: true },
    0,
  );
  const put: { from: Id; utxo: Utxo }[] = [];
  for (let height = 0; height < blockCount; height++) {
    clock += BigInt(random.below(5));
    if (random.below(2) === 0) {
      const { output } = transfer(wallet.terms.feeAsset, BigInt(1 + random.below(1e9)), ownedBy([random.pick(wallet.keys)]));
      const one = {
        from: random.pick([pChain, cChain]),
        utxo: makeUtxo(idOf(random.bytes(32)), random.below(3), wallet.terms.feeAsset, output),
      };
      put.push(one);
      local.deposit(one.from, one.utxo);
      model.deposit(one.from, one.utxo);
    }
    generator.settled();
    for (let i = 0; i < 4 + random.below(6); i++) {
      const next = generator.next();
      if (next !== undefined) local.chain.issue(parseTx(next.bytes));
    }
    const before = accepted.length;
    engine.decide();
    for (const block of accepted.slice(before)) for (const tx of block.txs) model.apply(tx);
  }

  const { chainID, first, genesisTxs } = beginning();
  const blocks = [first, ...accepted];
  migrateStore(local.store, 1);
  const spec = { number: 1, id: chainID, feeAsset: wallet.terms.feeAsset, completeFrom: 0 };
  for (const _ of sqliteIndex(local.store, spec).catchUp());
  // An output of another chain is known from the moment it is imported.
  const deposits = put.flatMap(({ from, utxo }): Deposit[] => {
    const block = blocks.find(({ txs }) => txs.some((tx) => consumedBy(tx).includes(utxo.id)));
    return block === undefined ? [] : [{ from, utxo, seen: Number(block.time) }];
  });
  const every = [...genesisTxs, ...blocks.flatMap(({ txs }) => txs)];
  return {
    id: chainID,
    chainID,
    feeAsset: wallet.terms.feeAsset,
    genesisTxs,
    blocks,
    deposits,
    assets: every.filter(({ unsigned }) => unsigned.kind === 'CreateAssetTx').map(({ id }) => id),
    addresses: new Set<Address>([
      ...wallet.keys.map(({ address }) => address),
      ...[...model.utxos.values()].flatMap(({ output }) => output.addresses),
    ]),
    keys: wallet.keys.map(({ address }) => address),
    index: openReads(sqliteSql(local.store), { number: 1, id: chainID }),
    now: () => Number(clock),
    close: local.close,
  };

  function beginning() {
    const readData = (file: string) => readFileSync(new URL(`../genesis/data/${file}`, import.meta.url));
    const network = networkOf(12345);
    const { x } = networkGenesis(network, undefined, { readData, unixSeconds: 0n });
    const first = genesisBlock(x.blockchainID, network.cortina, network.upgrades.cortinaXChainStopVertexID);
    return { chainID: x.blockchainID, first, genesisTxs: x.genesis.assets.map(({ tx }) => tx) };
  }
}
