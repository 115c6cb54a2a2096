import { contextOf } from '../api/chain-name.ts';
import { bind, createApi } from '../api/dispatch.ts';
import { mismatches } from '../api/matches.fixture.ts';
import { asker, errorFlaw, type Got, openGate, type Sent } from '../api/requests.fixture.ts';
import type { Served } from '../api/served.ts';
import type { Address } from '../bytes/address.ts';
import { bech32Encode } from '../bytes/bech32.ts';
import { fromHex } from '../bytes/hex.ts';
import { idText } from '../bytes/id.ts';
import { dataDeps } from './deps.ts';
import type { RecoverPublicKey } from './render-credential.ts';
import { dataRoutes } from './routes.ts';
import { txs } from './world.fixture.ts';

/** An answer, and what is wrong with its shape. */
export type Told = Got & { readonly flaws: readonly string[] };
export type Ask = ((target: string, sent?: Sent) => Promise<Told>) & {
  /** Rows that have answered with 200. */
  readonly answered: ReadonlySet<string>;
};

/** Asks the rows through the dispatcher, and holds every answer against the schema of its row. */
export function askData(served: Served, { recover, report }: { recover?: RecoverPublicKey; report?: (error: unknown) => void } = {}): Ask {
  const rows = dataRoutes();
  const answered = new Set<string>();
  let id: string | undefined;
  const ask = asker(
    createApi({
      routes: bind('data', rows, dataDeps(served, recover)),
      gate: openGate,
      context: contextOf(served),
      sealKey: Buffer.alloc(32, 7),
      epoch: () => 0,
      now: served.now,
      caller: () => '127.0.0.1',
      origin: () => 'http://here',
      report: report ?? (() => {}),
      observer: {
        now: () => 0,
        answered: (route) => {
          id = route?.row.id;
        },
      },
    }),
  );
  const told = async (target: string, sent?: Sent): Promise<Told> => {
    const got = await ask(target, sent);
    const row = rows.find((one) => one.id === id);
    if (got.status !== 200) return { ...got, flaws: [errorFlaw(got) ?? []].flat() };
    if (row === undefined) return { ...got, flaws: ['no row'] };
    answered.add(row.id);
    return { ...got, flaws: mismatches(row.response, got.json, { strict: true }) };
  };
  return Object.assign(told, { answered });
}

export const spelt = (address: Address): string => bech32Encode('local', fromHex(address));

export const local = '/v1/networks/local';
export const onX = `${local}/blockchains/x-chain`;

/** What stands beside amounts of the world's assets. */
export const labels = {
  avax: { assetId: idText(txs.avax.id), name: 'Avalanche', symbol: 'AVAX', denomination: 9, type: 'secp256k1' },
  coin: { assetId: idText(txs.coin.id), name: 'Coin', symbol: 'COIN', denomination: 2, type: 'secp256k1' },
  family: { assetId: idText(txs.family.id), name: 'Family', symbol: 'FAM', denomination: 0, type: 'nft' },
} as const;

// biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of any shape
export type Any = any;

/** Answers of the right shape; of another one everything, for the test to stumble over. */
export const answersOf =
  (ask: Ask) =>
  async (target: string, sent?: Sent): Promise<Any> => {
    const told = await ask(target, sent);
    return told.status === 200 && told.flaws.length === 0 ? told.json : told;
  };

/** What refusals of the right shape say. */
export const refusalsOf =
  (ask: Ask) =>
  async (target: string, sent?: Sent): Promise<{ readonly status: number; readonly message: string | readonly string[] }> => {
    const { status, json, flaws } = await ask(target, sent);
    return { status, message: status === 200 || flaws.length > 0 ? [...flaws, 'answered'] : json.message };
  };

/** The items of all pages. */
export async function walk(ask: Ask, target: string, name: string, sent?: Sent): Promise<Any[]> {
  const items: unknown[] = [];
  for (let token: string | undefined = ''; token !== undefined; ) {
    const page: Told = await ask(token === '' ? target : `${target}&pageToken=${token}`, sent);
    if (page.status !== 200 || page.flaws.length > 0) return [page];
    items.push(...page.json[name]);
    token = page.json.nextPageToken;
  }
  return items;
}
