import { expect, test } from 'bun:test';
import type { TxSummary } from '../contract/answers.ts';
import { partiesOf, partyText, sentenceText, summaryAmountText } from './sentence.ts';

const party = (...addresses: readonly string[]) => ({ addresses, threshold: 1 }) as unknown as TxSummary['from'][number];
const amount = (symbol: string | undefined, units: string, type = 'secp256k1', denomination = 9) =>
  ({ type, assetId: 'id', amount: units, symbol, denomination }) as unknown as TxSummary['amounts'][number];
const avax = amount('AVAX', '1500000000');
const say = (action: TxSummary['action'], change: object = {}): string =>
  sentenceText(
    {
      ...{
        action,
        from: [party('a')],
        fromCount: 1,
        to: [party('b')],
        toCount: 1,
        isToSelf: false,
        amounts: [avax],
        amountCount: 1,
        otherChain: 'p',
      },
      ...change,
    } as unknown as TxSummary,
    { address: (address) => address.toUpperCase(), chain: (id) => `chain ${id}` },
  );

test('each kind of transaction has a sentence', () => {
  expect(say('send')).toBe('A sent 1.5 AVAX to B');
  expect(say('send', { isToSelf: true })).toBe('A sent 1.5 AVAX to itself');
  expect(say('send', { toCount: 0, to: [] })).toBe('A sent 1.5 AVAX');
  expect(say('send', { fromCount: 0, from: [] })).toBe('an unknown sender sent 1.5 AVAX to B');
  expect(say('mint')).toBe('A minted 1.5 AVAX to B');
  expect(say('burn')).toBe('A burned 1.5 AVAX');
  expect(say('operate')).toBe('A minted, moved or burned 1.5 AVAX');
  expect(say('export')).toBe('A exported 1.5 AVAX to chain p for B');
  expect(say('export', { isToSelf: true, otherChain: undefined })).toBe('A exported 1.5 AVAX to chain ');
  expect(say('import')).toBe('imported 1.5 AVAX from chain p to B');
});

test('what was created has its name, symbol, kind and first amounts', () => {
  const created = { name: 'Ice', symbol: 'ICE', type: 'secp256k1' };
  expect(say('create', { created })).toBe('A created the asset Ice (ICE) with 1.5 AVAX for B');
  expect(say('create', { created, isToSelf: true })).toBe('A created the asset Ice (ICE) with 1.5 AVAX');
  expect(say('create', { created: { ...created, type: 'nft', symbol: '' }, amountCount: 0, amounts: [] })).toBe(
    'A created the NFT family Ice',
  );
  expect(say('create', { created: { ...created, type: 'property', name: '' }, fromCount: 0, amountCount: 0 })).toBe(
    'the network created the property family without a name (ICE)',
  );
  expect(say('create', { amountCount: 0 })).toBe('A created the asset without a name');
});

test('one and two owners are named; of more, the first', () => {
  const [a, b, c] = [party('a'), party('b'), party('c')] as const;
  const text = (parties: readonly (typeof a)[], count: number): string =>
    partiesOf(parties, count)
      .map((part) => (typeof part === 'string' ? part : 'party' in part ? partyText(part.party, (one) => one) : ''))
      .join('');
  expect([text([], 3), text([a], 1), text([a, b], 1), text([a, b], 2), text([a, b, c], 3), text([a], 2), text([a, b], 9)]).toEqual([
    'nobody',
    'a',
    'a',
    'a and b',
    'a and 2 more',
    'a',
    'a and 8 more',
  ]);
  expect([partyText(party(), String), partyText({ ...party('a', 'b', 'c'), threshold: 2 }, String)]).toEqual(['nobody', '2 of 3 owners']);
});

test('amounts are listed, and how many more there are', () => {
  const amounts = ['A', 'B', 'C'].map((symbol) => amount(symbol, '1', 'secp256k1', 0));
  expect(say('burn', { amounts: amounts.slice(0, 2), amountCount: 2 })).toBe('A burned 1 A and 1 B');
  expect(say('burn', { amounts, amountCount: 3 })).toBe('A burned 1 A, 1 B and 1 C');
  expect(say('burn', { amounts, amountCount: 8 })).toBe('A burned 1 A, 1 B, 1 C and 5 more');
  expect(say('burn', { amounts: [], amountCount: 0 })).toBe('A burned nothing');
});

test('an amount has its unit; NFTs and properties are counted', () => {
  expect(summaryAmountText(amount('AVAX', '1'))).toBe('0.000000001 AVAX');
  expect([summaryAmountText(amount('CARD', '1', 'nft')), summaryAmountText(amount('CARD', '2', 'nft'))]).toEqual([
    '1 CARD NFT',
    '2 CARD NFTs',
  ]);
  expect([summaryAmountText(amount('TTL', '1', 'property')), summaryAmountText(amount('TTL', '0', 'property'))]).toEqual([
    '1 TTL property',
    '0 TTL properties',
  ]);
  expect([summaryAmountText(amount('', '5', 'nft')), summaryAmountText(amount('', '5', 'secp256k1', 0))]).toEqual(['5 NFTs', '5']);
  const { denomination: _, ...unlabelled } = amount(undefined, '5');
  expect(summaryAmountText(unlabelled)).toBe('5 of id');
});
