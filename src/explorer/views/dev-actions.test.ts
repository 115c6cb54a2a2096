import { expect, test } from 'bun:test';
import { chainActions } from './dev-chain-actions.ts';
import { moneyActions } from './dev-money-actions.ts';

/** What an action says when it is done, for fields that show their own names: `amount` is shown as `[amount]`. */
const say = (name: keyof typeof actions, result: object = {}, shown: Readonly<Record<string, string>> = {}): string => {
  const row = actions[name];
  const fields = Object.fromEntries([...row.fields.map((field) => field.name), 'assetID'].map((field) => [field, `[${field}]`]));
  return row.said({ ...fields, ...shown }, result as never);
};
const actions = { ...moneyActions, ...chainActions };

test('each action says what was done', () => {
  expect(say('send')).toBe('Sent [amount] from [from] to [to].');
  expect(say('faucet')).toBe('Sent [amount] from account 0 to [to].');
  expect(say('export')).toBe('Exported [amount] from [from] to the [destinationChain].');
  expect(say('claimExport', { destinationChain: 'P' })).toBe('The P-Chain has imported [utxoID].');
  expect(say('deposit')).toBe('[amount] from the [from] can be imported by [to].');
  expect(say('createAsset')).toBe('Created [supply], owned by [owner].');
  expect(say('mint')).toBe('Minted [amount] for [to].');
  expect(say('createNFT', {}, { groups: '1' })).toBe('Created the NFT family [name] ([symbol]) with 1 group.');
  expect(say('createNFT', {}, { groups: '1200' })).toBe('Created the NFT family [name] ([symbol]) with 1,200 groups.');
  expect(say('mintNFT', { groupID: 1200 })).toBe('Minted [assetID] 1,200 for [to].');
  expect(say('sendNFT')).toBe('Sent [utxoID] to [to].');
  expect(say('createProperty')).toBe('Created the property [name] ([symbol]).');
  expect(say('mintProperty')).toBe('Minted [assetID] for [to].');
  expect(say('burnProperty')).toBe('Burned [utxoID].');
  expect(say('mine', { height: '1200' })).toBe('Mined up to block 1,200.');
  expect(say('dropTx')).toBe('Dropped [txID].');
  expect(say('snapshot', { name: '3', height: '1200' })).toBe('Took the snapshot 3 at block 1,200.');
  expect(say('reorg', { removed: ['a', 'b'], height: '7', returned: 1 })).toBe(
    'Replaced 2 blocks up to block 7. 1 transaction came back to the mempool.',
  );
  expect(say('reset', { height: '1' })).toBe('The chain is new again, at block 1.');
  expect(say('setTime')).toBe('The clock is at [time].');
  expect(say('setNextBlockTime')).toBe('The next block is at [time].');
  expect(say('setUnhealthy')).toBe('The health check [check] fails now.');
});

test('what was imported is counted, with its chains and what still waits', () => {
  const imports = (...outputs: readonly number[]) => outputs.map((count, at) => ({ outputs: count, sourceChain: 'PC'[at] }));
  expect(say('import', { imports: imports(1), remaining: 0 })).toBe('Imported 1 output from the P-Chain for [from].');
  expect(say('import', { imports: imports(2, 3), remaining: 1 })).toBe(
    'Imported 5 outputs from the P-Chain and the C-Chain for [from]. 1 still waits.',
  );
  expect(say('import', { imports: imports(2), remaining: 1200 })).toBe('Imported 2 outputs from the P-Chain for [from]. 1,200 still wait.');
});

test('what was switched says how it is now', () => {
  expect(say('label', { name: 'alice' })).toBe('[address] is called alice now.');
  expect(say('label', { name: '' })).toBe('[address] has no name any more.');
  expect(say('impersonate')).toBe('Transactions of [address] need no signature now. It is in the lists of senders.');
  expect(say('stopImpersonating')).toBe('Transactions of [address] need its signature again.');
  expect(say('setAutoImpersonate', { auto: true })).toBe('No transaction needs a signature now.');
  expect(say('setAutoImpersonate', { auto: false })).toBe('Transactions need their signatures again.');
  expect([say('freezeTime'), say('resetTime')]).toEqual(['The clock stands still.', 'The clock shows the real time.']);
  expect(say('setLatency', {}, { method: '' })).toBe('All calls take [ms] ms longer now.');
  expect(say('setLatency', {}, { method: 'avm.issueTx' })).toBe('avm.issueTx takes [ms] ms longer now.');
  expect(say('failNext', {}, { times: '1' })).toBe('The next call of [method] will fail.');
  expect(say('failNext', {}, { times: '1200' })).toBe('The next 1,200 calls of [method] will fail.');
});

test('a field that must be filled in begins with a value that its method takes, within its bounds', () => {
  for (const [name, { fields }] of Object.entries(actions))
    for (const field of fields) {
      if (field.kind === 'integer') expect([name, field.start >= field.min && field.start <= field.max]).toEqual([name, true]);
      if (field.kind === 'text' && field.start !== undefined) expect([name, field.start.length <= field.max]).toEqual([name, true]);
    }
});

test('numbers and texts are bounded as their methods bound them', () => {
  const bounds = Object.entries(actions).flatMap(([name, { fields }]) =>
    fields.flatMap((field) =>
      field.kind === 'integer'
        ? [`${name}.${field.name} ${field.min}-${field.max}, ${field.start}`]
        : field.kind === 'text'
          ? [`${name}.${field.name} ${field.max}`]
          : [],
    ),
  );
  expect(bounds).toEqual([
    'send.memo 256',
    'label.name 64',
    'createAsset.name 128',
    'createAsset.symbol 4',
    'createAsset.denomination 0-32, 0',
    'createNFT.name 128',
    'createNFT.symbol 4',
    'createNFT.groups 1-256, 10',
    'mintNFT.payload 2050',
    'createProperty.name 128',
    'createProperty.symbol 4',
    'mine.blocks 1-1000, 1',
    'snapshot.name 64',
    'reorg.depth 1-1000, 1',
    'setLatency.ms 0-20000, 500',
    'setLatency.method 64',
    'failNext.method 64',
    'failNext.times 1-1000000, 1',
    'failNext.error 1000',
    'setUnhealthy.check 64',
    'setUnhealthy.message 1000',
  ]);
});
