import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandNames, commandTable } from '../src/app/config/command.ts';
import { parseFlags } from '../src/app/config/flags.ts';
import { createClient } from '../src/sdk/client.ts';
import {
  baseTx,
  formatTx,
  ownedBy,
  parseAddress,
  parseKey,
  parseUtxoText,
  readChainParams,
  signDraft,
  transfer,
} from '../src/sdk/codec.ts';
import { eventually } from './processes.ts';
import { type Program, programCommand, runProgram, startProgramAsUsers } from './program.ts';
import { runCommand } from './short-command.ts';

/** Every command that asks a node, run in this process; some as a user runs them, where the process itself matters. */

const folder = mkdtempSync(join(tmpdir(), 'serac-clients-'));
const to = 'X-local1qurswpc8qurswpc8qurswpc8qurswpc8lzh465';
const id = /[1-9A-HJ-NP-Za-km-z]{47,52}/;
let node: Program;

beforeAll(async () => {
  node = await startProgramAsUsers();
});
afterAll(async () => {
  await node.stop();
  rmSync(folder, { recursive: true, force: true });
});

const used = new Set<string>();

/** Runs a command against the node; fails the test if a line of its output is longer than 80 columns. */
async function serac(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  used.add(args[0] as string).add(args.slice(0, 2).join(' '));
  const result = await runCommand(...args, '--url', node.url);
  if (!args.includes('--json')) expect([args, result.out.split('\n').filter((line) => [...line].length > 80)]).toEqual([args, []]);
  return result;
}

/** The output of a command that must succeed. */
async function ok(...args: string[]): Promise<string> {
  const { code, out, err } = await serac(...args);
  expect([args, code, err]).toEqual([args, 0, '']);
  return out;
}

// biome-ignore lint/suspicious/noExplicitAny: the shape depends on the command
const json = async (...args: string[]): Promise<any> => JSON.parse(await ok(...args, '--json'));

describe('money', () => {
  test('accounts shows addresses, balances and keys', async () => {
    const out = await ok('accounts');
    expect(out).toContain('0   X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u  299,');
    expect(out).toContain('PrivateKey-ewoqjP7PxY4yr3iLTpLisriqt94hdyDFNgchSxGGztUrTXtNN');
    expect((await json('accounts')).accounts).toHaveLength(11);
  });

  const exactly = (text: string): string => text.replace(/[.()]/g, '\\$&');
  const receipt = (sentence: string, fields: Record<string, string | RegExp>): RegExp =>
    new RegExp(
      `^${exactly(sentence)}\n${Object.entries(fields)
        .map(([label, value]) => `${label.padEnd(12)} ${typeof value === 'string' ? exactly(value) : value.source}\n`)
        .join('')}$`,
    );
  const short = 'X-local1qursw…lzh465';
  const account0 = 'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u';

  test('a bare number counts whole units, nAVAX needs its unit; the receipt says what happened', async () => {
    expect(await ok('faucet', to, '5')).toMatch(
      receipt(`account 0 sent 5 AVAX to ${short}`, {
        amount: '5 AVAX',
        assetID: id,
        from: account0,
        to,
        fee: '0.001 AVAX',
        txID: id,
        status: 'Accepted',
        height: /\d+/,
      }),
    );
    expect(await ok('faucet', to)).toStartWith(`account 0 sent 1,000 AVAX to ${short}\n`);
    const sent = await json('send', to, '1.5', '--from', '2', '--memo', 'hello');
    expect(sent).toMatchObject({
      txID: expect.stringMatching(id),
      amount: '1500000000',
      symbol: 'AVAX',
      denomination: 9,
      to,
      fee: '1000000',
      status: 'Accepted',
      height: expect.stringMatching(/^\d+$/),
    });
    expect(await ok('send', to, '5nAVAX')).toContain('sent 0.000000005 AVAX to ');
    expect(await ok('address', to)).toContain('balance  1,006.500000005 AVAX');
  });

  test('a unit may be an argument of its own, and an address may have no prefix', async () => {
    const bare = to.slice(2);
    expect(await ok('send', bare, '2', 'AVAX')).toContain(`to           ${to}\n`);
    expect(await ok('faucet', bare, '3', 'nAVAX')).toContain('sent 0.000000003 AVAX to ');
    expect(await ok('send', to, '1', '--from', account0.slice(2))).toContain(`from         ${account0}\n`);
    expect(await ok('export', 'P', '1', 'AVAX', bare)).toContain(`to           P-${bare}\n`);
    expect(await ok('address', bare)).toContain(to);
    const { code, err } = await serac('send', to, '5', 'AVAX8');
    expect([code, err]).toEqual([2, expect.stringContaining('unexpected argument "AVAX8"')]);
  });

  test('a transaction that waits for a block has the same receipt, says pending and exits with 1; with --no-wait with 0', async () => {
    const automine = (enabled: boolean) => node.client.call('/ext/dev', 'dev.setAutomine', { enabled });
    const pending = /^status {7}Processing\nnote {9}blocks are made by hand here: serac mine makes one$/m;
    expect(await json('send', to, '6', '--from', '3')).toMatchObject({ status: 'Accepted' });
    await automine(false);
    const waiting = await serac('send', to, '6', '--from', '3');
    expect(waiting).toEqual({ code: 1, out: expect.stringMatching(pending), err: '' });
    expect(waiting.out).toStartWith(`waiting: account 3 sent 6 AVAX to ${short}\n`);
    for (const args of [
      ['faucet', to, '1'],
      ['asset', 'create', 'Pending', 'PND', '5'],
      ['nft', 'create', 'Waiting', 'WTN'],
    ]) {
      const { code, out } = await serac(...args, '--json');
      expect([args, code, JSON.parse(out).status]).toEqual([args, 1, 'Processing']);
    }
    expect(await ok('send', to, '6', '--from', '4', '--no-wait')).toMatch(pending);
    await automine(true);
  });

  test('export and deposit, each in one command', async () => {
    const sent = await json('export', 'P', '2AVAX', '--memo', 'out');
    expect(sent.txID).toMatch(id);
    const exported = await ok('export', 'C', '3', `C-${to.slice(2)}`, '--from', '1');
    const from = 'X-local1yljhuvjkmtu0y5ls6kf4exsdd8gea9mp7pshft';
    expect(exported).toMatch(
      receipt(`account 1 exported 3 AVAX to C-Chain for ${short}`, {
        amount: '3 AVAX',
        assetID: id,
        from,
        to: `C-${to.slice(2)}`,
        fee: '0.001 AVAX',
        txID: id,
        utxoID: id,
        status: 'Accepted',
        height: /\d+/,
      }),
    );
    expect(await ok('deposit', 'C', to, '4AVAX')).toMatch(
      receipt('4 AVAX deposited from the C-Chain', {
        amount: '4 AVAX',
        assetID: id,
        from: 'C-Chain',
        to,
        fee: 'none',
        utxoID: id,
        status: 'Waiting',
        note: 'serac import ADDRESS imports it',
      }),
    );
    const deposited = await json('deposit', 'P', to, '5');
    const listed = (await node.client.call('/ext/dev', 'dev.listAtomic')) as unknown as { result: { utxos: Record<string, string>[] } };
    const { utxos } = listed.result;
    expect(utxos.map(({ sourceChain, destinationChain, amount }) => `${sourceChain} to ${destinationChain}: ${amount}`).sort()).toEqual([
      'C to X: 4000000000',
      'P to X: 5000000000',
      'X to C: 3000000000',
      'X to P: 1000000000',
      'X to P: 2000000000',
    ]);
    const ids = utxos.map(({ utxoID }) => utxoID);
    expect(ids).toEqual(expect.arrayContaining([sent.utxoID, deposited.utxoID]));
    // A label as short as a symbol is no unit.
    await ok('label', to, 'bob');
    expect((await json('export', 'P', '6', 'bob')).to).toBe(`P-${to.slice(2)}`);
    await ok('label', to, '');
    const refused = await serac('export', 'Q', '1');
    expect([refused.code, refused.out]).toEqual([1, '']);
    expect(refused.err).toContain('Q');
  });

  test('import: what waits for an account, a receipt for each chain; what cannot be imported is said', async () => {
    const { accounts } = await json('accounts');
    const [, , , , , owner, heir] = accounts.map(({ address }: { address: string }) => address);
    const none = await serac('import', '5');
    expect([none.code, none.err]).toEqual([1, expect.stringContaining('nothing waits for account 5')]);
    expect(none.err).toContain('serac deposit makes an output that does');
    for (const [chain, amount] of [
      ['C', '4'],
      ['P', '3'],
    ] as const)
      expect(await ok('deposit', chain, '5', amount)).toEndWith('note         serac import 5 imports it\n');
    await ok('deposit', 'P', owner, '9', '--locktime', '2100-01-01T00:00:00Z');
    const fields = (amount: string, from: string) => ({
      amount,
      assetID: id,
      from,
      to: owner,
      fee: '0.001 AVAX',
      txID: id,
      status: 'Accepted',
      height: /\d+/,
      note: '1 still wait: locked, shared, or too many for one transaction',
    });
    const [fromP, fromC] = (await ok('import', '5')).split(/^\n/m);
    expect(fromP).toMatch(receipt('imported 3 AVAX from P-Chain to account 5', fields('3 AVAX', 'P-Chain')));
    expect(fromC).toMatch(receipt('imported 4 AVAX from C-Chain to account 5', fields('4 AVAX', 'C-Chain')));
    await ok('deposit', 'C', owner, '2');
    const { amounts: _, ...imported } = await json('import', 'C', owner, '--to', heir, '--memo', 'in');
    expect(imported).toMatchObject({ amount: '2000000000', symbol: 'AVAX', from: 'C-Chain', to: heir, status: 'Accepted', remaining: 0 });
    const wrong = await serac('import', '5', 'C');
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('usage: serac import [CHAIN] [ADDRESS]')]);
  });

  test('an asset is created, minted, shown and sent by its symbol, in whole units', async () => {
    const made = await ok('asset', 'create', 'Gold', 'GLD', '1000', '--denomination', '2', '--mintable');
    expect(made).toMatch(
      receipt('account 0 created the asset Gold (GLD) with 1,000 GLD', {
        amount: '1,000 GLD',
        assetID: id,
        from: account0,
        to: account0,
        fee: '0.001 AVAX',
        txID: id,
        status: 'Accepted',
        height: /\d+/,
        note: 'account 0 can mint more',
      }),
    );
    const assetID = id.exec(made.split('\nassetID ')[1] as string)?.[0] as string;
    expect(await ok('asset', 'mint', 'GLD', to, '500', 'GLD')).toStartWith(`account 0 minted 500 GLD to ${short}\n`);
    expect(await ok('send', to, '5', '--asset', 'GLD')).toStartWith(
      `account 0 sent 5 GLD to ${short}\namount       5 GLD\nassetID      ${assetID}\n`,
    );
    expect(await ok('send', to, '0.05 GLD')).toContain('sent 0.05 GLD to ');
    expect(await ok('faucet', to, '1 GLD', '--asset', assetID)).toContain('sent 1 GLD to ');
    const shown = await ok('asset', 'show', 'GLD');
    for (const text of [
      `asset ${assetID}\ndenomination 2`,
      `minter `,
      `owner  ${account0.slice(2)}  993.95 GLD`,
      `owner  ${to.slice(2)}  506.05 GLD`,
    ])
      expect(shown).toContain(text);
    expect((await json('asset', 'show', assetID)).symbol).toBe('GLD');
    expect(await ok('address', to)).toContain('506.05 GLD');
    const { code, err } = await serac('send', to, '0.001', '--asset', 'GLD');
    expect([code, err]).toEqual([2, expect.stringContaining('has more decimals than GLD, which has 2')]);
  });

  test('an output that is locked is marked', async () => {
    const locked = (await json('address', '0x0808080808080808080808080808080808080808')).spellings.local;
    await ok('send', locked, '1', '--locktime', '2031-01-01T00:00:00Z');
    await ok('send', locked, '2', '--locktime', '2001-01-01T00:00:00Z');
    const shown = await ok('address', locked);
    expect(shown.match(/locked until \S+/g)).toEqual(['locked until 2031-01-01T00:00:00Z']);
  });

  test('a symbol of two assets is refused with the IDs of both', async () => {
    const ids = [await json('asset', 'create', 'One', 'TWO', '7'), await json('asset', 'create', 'Two', 'TWO', '7')];
    const { code, err } = await serac('send', to, '1', '--asset', 'TWO');
    expect(code).toBe(1);
    expect(err).toContain('2 assets have the symbol TWO');
    for (const { assetID } of ids) expect(err).toContain(assetID);
    const unknown = await serac('send', to, '1', '--asset', 'NONE');
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('there is no asset "NONE"')]);
  });

  test('NFTs: create, mint, show, send', async () => {
    expect(await ok('nft', 'create', 'Cards', 'CRD', '--groups', '2')).toStartWith(
      'account 0 created the NFT family Cards (CRD)\nassetID ',
    );
    const { accounts } = await json('accounts');
    const { utxoID, groupID } = await json('nft', 'mint', 'CRD', accounts[1].address, 'hello');
    expect(groupID).toBe(0);
    const shown = await ok('utxo', utxoID);
    for (const text of ['nftfx.TransferOutput of CRD, group 0', 'payload "hello"', `owner ${accounts[1].address}`, '  unspent'])
      expect(shown).toContain(text);
    const sent = await json('nft', 'send', utxoID, to);
    expect(sent).toMatchObject({ from: accounts[1].address, to, symbol: 'CRD', fee: '1000000' });
    expect(await ok('utxo', utxoID)).toContain(`spent by transaction ${sent.txID}`);
    expect((await serac('nft', 'send', sent.utxoID, to)).err).toContain('cannot sign');
  });
});

describe('what an address has', () => {
  const owned = 'X-local1pg9q5zs2pg9q5zs2pg9q5zs2pg9q5zs2qwz9l6';

  test('balance: to spend, locked, with other owners, exported and waiting for an import; of all accounts with all', async () => {
    const { accounts } = await json('accounts');
    const [, , , , , , , who] = accounts.map(({ address }: { address: string }) => address);
    const dev = (method: string, params: object) => node.client.call('/ext/dev', `dev.${method}`, params);
    await ok('send', who, '2', '--locktime', '2100-01-01T00:00:00Z');
    await dev('send', { to: [who, accounts[1].address], threshold: 2, amount: '3 AVAX' });
    await dev('send', { to: [who, accounts[1].address], threshold: 2, amount: '1 AVAX' });
    await ok('deposit', 'C', who, '5');
    await ok('export', 'P', '7', '--from', '7');
    await ok('nft', 'create', 'Owned', 'OWN');
    await ok('nft', 'mint', 'OWN', who, 'one');
    const out = await ok('balance', '7');
    expect(out.split('\n').map((line) => line.trim().replaceAll(/ {2,}/g, ' | '))).toEqual([
      who,
      'Amount | Asset | State',
      '9,992.999 AVAX | Avalanche | spendable',
      '1 OWN | Owned | spendable',
      '2 AVAX | Avalanche | locked',
      '7 AVAX | Avalanche | exported, not imported there yet',
      '4 AVAX | Avalanche | with other owners',
      '5 AVAX | Avalanche | at C-Chain: serac import 7',
      '',
    ]);
    const { address, balances } = await json('balance', who);
    expect([address, balances.length]).toEqual([who, 6]);
    expect(balances[2]).toMatchObject({ amount: '2000000000', symbol: 'AVAX', name: 'Avalanche', denomination: 9, state: 'locked' });
    expect((await ok('balance')).split('\n')[0]).toBe(accounts[0].address);
    expect(await ok('balance', owned)).toBe(`${owned}\n  nothing\n`);
    const all = await ok('balance', 'all');
    expect(all.match(/^account \d+ {2}X-local1/gm)).toHaveLength(11);
    expect((await json('balance', 'all')).accounts[7]).toEqual({ account: 7, address: who, balances });
    const wrong = await serac('balance', '99');
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('"99" is not an address')]);
  });

  test('asset list and nft list: of the chain, or of an address', async () => {
    const { assetID } = await json('asset', 'create', 'Listed', 'LST', '12', '--mintable');
    const listed = await ok('asset', 'list');
    expect(listed).toStartWith('AVAX  Avalanche, ');
    expect(listed).toContain(`LST   Listed, 12, can be minted, 1 owner\n      ${assetID}\n`);
    const { assets, truncated } = await json('asset', 'list');
    expect([assets[0].symbol, assets.at(-1).assetId, truncated]).toEqual(['AVAX', assetID, false]);
    await ok('nft', 'create', 'Shown', 'SHN');
    const { utxoID } = await json('nft', 'mint', 'SHN', owned, 'hello');
    const line = `SHN   group 0  "hello"\n      ${utxoID}\n`;
    expect(await ok('nft', 'list', owned)).toBe(line);
    expect(await ok('nft', 'list')).toContain(`${line}      ${owned}\n`);
    expect((await json('nft', 'list', owned)).nfts).toEqual([
      { symbol: 'SHN', assetID: expect.stringMatching(id), groupID: 0, payload: '0x68656c6c6f', utxoID, owner: owned },
    ]);
    expect(await ok('nft', 'list', '9')).toBe('no NFTs\n');
    // An NFT that was sent is listed where it is now.
    const minted = await json('nft', 'mint', 'SHN', '9', 'moves');
    expect(minted).toMatchObject({ amount: '1', symbol: 'SHN', denomination: 0 });
    const sent = await json('nft', 'send', minted.utxoID, owned);
    const all = await ok('nft', 'list');
    expect([all.includes(minted.utxoID), all.includes(`${sent.utxoID}\n      ${owned}\n`)]).toEqual([false, true]);
  });

  test('watch: what happens to an address, with what it has after each event', async () => {
    const [text, lines] = [follow('watch', owned), follow('watch', owned, '--json')];
    try {
      for (const { out } of [text, lines])
        await eventually(
          async () => out(),
          (shown) => shown.includes('\n'),
        );
      const { txID } = await json('send', owned, '8');
      for (const { out } of [text, lines])
        await eventually(
          async () => out(),
          (shown) => shown.includes(txID) && shown.endsWith('\n'),
        );
      expect(text.out()).toStartWith(`${owned}\n  has 2 SHN spendable\n  BaseTx ${txID}\n    account 0 sent 8 AVAX to `);
      expect(text.out()).toMatch(/ {2}has 8 AVAX spendable\n {2}has 2 SHN spendable\n$/);
      const [first, second] = lines
        .out()
        .split('\n')
        .slice(0, 2)
        .map((line) => JSON.parse(line));
      expect(first).toMatchObject({ address: owned, event: null, balances: [{ symbol: 'SHN' }] });
      expect(second).toMatchObject({
        event: { kind: 'tx', txID },
        balances: [{ symbol: 'AVAX', amount: '8000000000' }, { symbol: 'SHN' }],
      });
    } finally {
      for (const one of [text, lines]) await one.stop();
    }
    used.add('watch');
  });

  test('calls: prints the calls to the node from now on, with what a refusal says', async () => {
    const printed = follow('calls');
    try {
      await eventually(
        async () => {
          await runCommand('rpc', 'avm.getTxx', '--url', node.url);
          return printed.out();
        },
        (shown) => /^[\d:.]+ {2}avm\.getTxx .*did you mean avm\.getTx\?/m.test(shown),
      );
    } finally {
      await printed.stop();
    }
    used.add('calls');
  });

  test('issue: a signed transaction has the same receipt; bytes that are none are refused', async () => {
    const key = parseKey((await json('accounts')).accounts[9].privateKey);
    const api = createClient(node.url);
    const chainParams = await readChainParams(api);
    const { accounts } = await json('accounts');
    const { utxos } = await api.avm.getUTXOs({ addresses: [accounts[9].address] });
    const sent = [transfer(chainParams.feeAsset, 6_000_000_000n, ownedBy([parseAddress(to)]))];
    const tx = formatTx(signDraft(baseTx({ keys: [key], chainParams }, { utxos: utxos.map(parseUtxoText) }, sent)));
    const out = await ok('issue', tx);
    const rows = Object.fromEntries(
      out
        .split('\n')
        .slice(1)
        .map((line) => [line.slice(0, 12).trim(), line.slice(13)]),
    );
    expect(out).toStartWith('account 9 sent 6 AVAX to ');
    expect(rows).toMatchObject({ amount: '6 AVAX', from: accounts[9].address, to, fee: '0.001 AVAX', status: 'Accepted' });
    expect(rows.height).toMatch(/^\d+$/);
    const again = await serac('issue', tx);
    expect([again.code, again.out]).toEqual([1, '']);
    expect((await serac('issue', 'hello')).code).toBe(2);
  });
});

/** Runs a command that does not end by itself. */
function follow(...args: string[]) {
  const child = Bun.spawn([...programCommand, ...args, '--url', node.url], { stdout: 'pipe' });
  let out = '';
  const read = (async () => {
    for await (const chunk of child.stdout) out += Buffer.from(chunk).toString();
  })();
  return {
    out: () => out,
    stop: async () => {
      child.kill('SIGINT');
      expect(await child.exited).toBe(0);
      await read;
    },
  };
}

describe('what is on the chain', () => {
  test('tx, utxo, block and address', async () => {
    const { txID } = await json('send', to, '7nAVAX');
    const out = await ok('tx', txID);
    expect(out).toContain(`BaseTx ${txID}\naccepted in block `);
    expect(out).toContain('0.000000007 AVAX  ');
    expect((await json('tx', txID)).txHash).toBe(txID);
    // The change is above 2^53 and must not be rounded.
    const utxo = await json('utxo', `${txID}:1`);
    expect(BigInt(utxo.amount)).toBeGreaterThan(2n ** 53n);
    expect(await ok('utxo', utxo.utxoID)).toContain(`number 1 of transaction ${txID}`);
    const block = await json('block', 'latest');
    expect(block.transactions).toEqual([txID]);
    expect(await ok('block', block.blockNumber)).toContain(`block ${block.blockNumber} ${block.blockHash}`);
    expect(await ok('address', '0x0707070707070707070707070707070707070707')).toContain(to);
    expect((await json('address', to)).spellings.fuji).toBe('X-fuji1qurswpc8qurswpc8qurswpc8qurswpc82rwv4r');
  });

  test('the bytes of a transaction are decoded exactly and checked', async () => {
    const { txID } = await json('send', to, '7');
    const { result } = (await node.client.call('/ext/bc/X', 'avm.getTx', { txID, encoding: 'hex' })) as { result?: { tx: string } };
    const { amount } = await json('utxo', `${txID}:1`);
    const { code, out } = await runProgram('tx', result?.tx as string, '--url', node.url);
    expect(code).toBe(1);
    expect(out).toContain(`"amount": "${amount}"`);
    expect(out).toContain('failed  utxo');
    expect(out).toContain('the node would refuse it');
  });

  test('a node that decides alone has no peers', async () => {
    expect(await ok('peers')).toBe('no peers; serac join and serac testnet run nodes with peers\n');
    expect(await json('peers')).toEqual({ numPeers: '0', peers: [] });
  });

  test('what does not exist is an error that names it', async () => {
    const cases: [string[], string][] = [
      [['block', '99999'], 'has no block 99999'],
      [['tx', '2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm'], 'has no transaction'],
      [['utxo', '2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm'], 'there is no output'],
      [['asset', 'show', 'NOPE'], 'there is no asset "NOPE"'],
      [['snapshot', 'revert', 'nope'], 'there is no snapshot "nope"'],
    ];
    for (const [args, text] of cases) {
      const { code, err, out } = await serac(...args);
      expect([args, code, out, err]).toEqual([args, 1, '', expect.stringContaining(text)]);
    }
  });
});

describe('blocks, time, snapshots and the state file', () => {
  test('mine and time', async () => {
    expect(await ok('mine', '2')).toMatch(/^height \d+, 20/);
    const { height, time } = await json('mine');
    expect(Number(height)).toBeGreaterThan(2);
    expect(await json('mine', '0')).toEqual({ height, time, filler: false });
    expect(await ok('time', '+30d')).toContain('+2592000 s from the real time');
    expect((await json('time', '2030-01-01T00:00:00Z')).time).toMatch(/^189345600/);
    expect(await ok('time', 'freeze')).toContain('frozen');
    expect(await ok('time', 'reset')).not.toContain('from the real time');
    expect(await ok('time')).toMatch(/^20\S+Z \(\d+\)\n$/);
  });

  test('snapshots are saved, listed, compared, reverted and deleted', async () => {
    expect(await ok('snapshot', 'save', 'clean')).toMatch(/^snapshot clean: height \d+/);
    const before = await json('block', 'latest');
    await ok('send', to, '2AVAX');
    await ok('snapshot', 'save', 'later');
    const diff = await ok('snapshot', 'diff', 'clean', 'later');
    expect(diff).toStartWith('blocks: 1 added\ntransactions: 1 added\n');
    expect(diff).toContain(`${to}  +2 AVAX`);
    expect(diff).toContain('-2.001 AVAX');
    expect((await json('snapshot', 'diff', 'clean')).balances).toHaveLength(2);
    expect(await ok('snapshot', 'list')).toMatch(/^Name +Height +Time\nclean/);
    expect(await ok('snapshot', 'revert', 'clean')).toStartWith(`now at height ${before.blockNumber}, `);
    expect(await json('block', 'latest')).toEqual(before);
    for (const name of ['clean', 'later']) expect(await ok('snapshot', 'delete', name)).toBe(`snapshot ${name} deleted\n`);
    expect(await ok('snapshot', 'list')).toContain('no snapshots');
  });

  test('reset asks, or needs --yes; the chain begins again', async () => {
    const asked = await serac('reset');
    expect([asked.code, asked.out, asked.err]).toEqual([2, '', expect.stringContaining('give --yes')]);
    const before = await json('block', 'latest');
    await ok('snapshot', 'save', 'kept');
    expect(await ok('reset', '--yes')).toMatch(/^reset, now at height 1, 20/);
    expect((await json('block', 'latest')).blockNumber).toBe('1');
    await ok('snapshot', 'revert', 'kept');
    expect(await json('block', 'latest')).toEqual(before);
    await ok('snapshot', 'delete', 'kept');
    expect((await json('reset', '--yes')).height).toBe('1');
  });

  test('the state is saved to a file and loaded from it; a bad file changes nothing', async () => {
    const file = join(folder, 'chain.serac');
    expect(await ok('state', 'save', file)).toBe(`saved ${readFileSync(file).length} bytes to ${file}\n`);
    const before = await json('block', 'latest');
    await ok('mine', '3');
    expect(await ok('state', 'load', file)).toStartWith(`loaded, now at height ${before.blockNumber}, `);
    expect(await json('block', 'latest')).toEqual(before);
    const damaged = join(folder, 'damaged.serac');
    writeFileSync(damaged, readFileSync(file).fill(7, 2000, 2100));
    const cases: [string[], string][] = [
      [['state', 'load', damaged], 'damaged'],
      [['state', 'load', join(folder, 'missing')], `cannot read ${join(folder, 'missing')}`],
      [['state', 'save', join(folder, 'no', 'folder')], `cannot write ${join(folder, 'no', 'folder')} (ENOENT)`],
    ];
    for (const [args, text] of cases) {
      const { code, err } = await serac(...args);
      expect([args, code, err]).toEqual([args, 1, expect.stringContaining(text)]);
    }
    expect(await json('block', 'latest')).toEqual(before);
  });
});

describe('errors', () => {
  test('bad arguments exit with 2', async () => {
    const cases: [string[], string][] = [
      [['send', to], 'usage: serac send ADDRESS AMOUNT [UNIT]'],
      [['mine', 'x'], '"x" is not a number of blocks'],
      [['time', 'banana'], '"banana" is not a time'],
      [['address', 'bogus'], '"bogus" is not an address'],
      [['tx', 'zzz'], '"zzz" is not the ID of a transaction'],
      [['block', 'newest'], '"newest" is not the height or ID of a block'],
      [['utxo', '1:2'], '"1" is not the ID of an output'],
      [['send', to, '5 GLD', '--asset', 'AVAX'], '"5 GLD" is in GLD, but the asset is AVAX'],
      [['send', to, 'five'], '"five" is not an amount'],
      [['accounts', '--memo', 'x'], '--memo belongs to serac send'],
      [['snapshot', 'forget'], 'save, revert, list, delete, diff'],
    ];
    for (const [args, text] of cases) {
      const { code, err, out } = await serac(...args);
      expect([args, code, out, err]).toEqual([args, 2, '', expect.stringContaining(text)]);
    }
    expect((await runProgram('snapsot')).err).toContain('did you mean serac snapshot?');
  });

  test('a refused call exits with 1 and says why', async () => {
    const cases: [string[], string][] = [
      [['send', to, '999999999 AVAX'], 'not enough funds: account 0'],
      [
        ['send', to, '5', '--from', '99'],
        'there is no account 99; there are 11 accounts, 0 to 10: 0 is X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u,',
      ],
      [['send', 'bogus', '5'], 'bogus'],
      [['send', `P-${to.slice(2)}`, '5'], `this works: serac send ${to} 5`],
      [['send', to, '5 NONE'], 'there is no asset "NONE"'],
      [['snapshot', 'revert', 'nope'], 'there is no snapshot "nope"; serac snapshot list lists them'],
    ];
    for (const [args, text] of cases) {
      const { code, err, out } = await serac(...args);
      expect([args, code, out, err]).toEqual([args, 1, '', expect.stringContaining(text)]);
    }
  });

  test('serac rpc calls any method and prints its result', async () => {
    expect(await json('rpc', 'info.getNetworkName')).toEqual({ networkName: 'local' });
    expect((await json('rpc', 'avm.getAssetDescription', '{"assetID":"AVAX"}')).symbol).toBe('AVAX');
    for (const [args, code, text] of [
      [['rpc', 'foo.bar'], 2, 'methods begin with avm., wallet., info., health., dev.'],
      [
        ['rpc', 'avm.getTx', '5'],
        2,
        `"5" is no JSON object; names have double quotes, and single quotes around all keep them from the shell: serac rpc avm.getTx '{"txID":"…"}'`,
      ],
      [['rpc', 'avm.getTx', '{"txID":"x"}'], 1, 'txID'],
      [['rpc', 'avm.getTxx'], 1, 'find method "avm.GetTxx"\n       did you mean serac rpc avm.getTx?'],
      [['rpc', 'avm.send'], 1, 'instead: build and sign the transaction in the client, then send it with serac rpc avm.issueTx'],
    ] as const) {
      const result = await serac(...args);
      expect([args, result.code, result.err]).toEqual([args, code, expect.stringContaining(text)]);
    }
  });

  test('--json makes errors JSON too', async () => {
    const refused = await serac('send', to, '5', '--from', '99', '--json');
    expect(JSON.parse(refused.err)).toMatchObject({
      event: 'error',
      level: 'fatal',
      code: 'RPC_ERROR',
      message: expect.stringContaining('serac accounts lists'),
      data: { method: 'dev.send', data: { code: 'DEV_NOT_AN_ACCOUNT' } },
    });
    const bad = await serac('send', to, '--json');
    expect([bad.code, JSON.parse(bad.err).code]).toEqual([2, 'FLAG_COMMAND']);
    const unknown = await runProgram('--json', '--nope');
    expect([unknown.code, JSON.parse(unknown.err)]).toEqual([2, expect.objectContaining({ code: 'FLAG_UNKNOWN', level: 'fatal' })]);
    expect((await runProgram('accounts', '--json', '--url', 'http://127.0.0.1:1')).err).toContain('"code":"NODE_UNREACHABLE"');
  });

  test('no node: the error names the URL and the remedy', async () => {
    const { code, err } = await runProgram('accounts', '--url', 'http://127.0.0.1:1');
    expect([code, err]).toEqual([
      1,
      'serac: no node answers at http://127.0.0.1:1; start one with serac, or give its address with --url\n',
    ]);
  });

  test('a token is sent from a flag or a variable; without the right one the error names the remedy', async () => {
    const guarded = await startProgramAsUsers('--dev-token=correct-horse', '--accounts=1');
    try {
      const wrong = await runProgram('accounts', '--url', guarded.url, '--dev-token', 'wrong-token');
      expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('--dev-token TOKEN or SERAC_DEV_TOKEN')]);
      expect((await runProgram('state', 'save', join(folder, 'x'), '--url', guarded.url)).err).toContain('SERAC_DEV_TOKEN');
      for (const flag of ['--dev-token', '--token'])
        expect((await runProgram('accounts', '--url', guarded.url, flag, 'correct-horse')).code).toBe(0);
      const child = Bun.spawn([...programCommand, 'mine'], {
        env: { ...process.env, SERAC_URL: guarded.url, SERAC_DEV_TOKEN: 'correct-horse' },
        stdout: 'pipe',
      });
      expect(await new Response(child.stdout).text()).toStartWith('height ');
      expect(await child.exited).toBe(0);
    } finally {
      await guarded.stop();
    }
  });

  test('a node without dev methods is named as the reason', async () => {
    const open = await startProgramAsUsers('--public-api');
    try {
      const { code, err } = await runProgram('faucet', to, '--url', open.url);
      expect([code, err]).toEqual([1, expect.stringContaining('this node has no dev methods')]);
    } finally {
      await open.stop();
    }
  });
});

describe('tail', () => {
  test('prints events and resumes after a restart of the node, without gap or repeat', async () => {
    const dataDir = join(folder, 'tailed');
    const start = (port: number) => startProgramAsUsers(`--data-dir=${dataDir}`, '--workers=0', `--http-port=${port}`);
    let tailed = await start(0);
    const child = Bun.spawn([...programCommand, 'tail', '--kind', 'block,tx', '--url', tailed.url], { stdout: 'pipe' });
    let out = '';
    const read = (async () => {
      for await (const chunk of child.stdout) out += Buffer.from(chunk).toString();
    })();
    try {
      const send = () => runCommand('send', to, '1AVAX', '--url', tailed.url);
      const heights = () => [...out.matchAll(/^block (\d+), 1 transaction, /gm)].map(([, height]) => Number(height));
      // The first event may be missed while the stream is being opened.
      await eventually(
        async () => {
          await send();
          return heights().length;
        },
        (count) => count > 0,
      );
      await tailed.stop();
      tailed = await start(tailed.port);
      await send();
      await send();
      const { result } = (await tailed.client.call('/ext/bc/X', 'avm.getHeight')) as { result?: { height: string } };
      await eventually(
        async () => heights().at(-1),
        (last) => last === Number(result?.height),
      );
      const seen = heights();
      expect(seen).toEqual(Array.from({ length: seen.length }, (_, i) => (seen[0] as number) + i));
      expect(out).toContain('    account 0 sent 1 AVAX to X-local1qursw…lzh465\n');
      expect(out).toContain(`    ${to}  +1 AVAX`);
    } finally {
      child.kill('SIGINT');
      expect(await child.exited).toBe(0);
      await read;
      await tailed.stop();
    }
  });

  test('--json prints the event as it is, and no news of the log of calls; a wrong filter is refused', async () => {
    // Somebody reads the log: from now on every call is news of it.
    await node.client.call('/ext/dev', 'dev.calls');
    const child = Bun.spawn([...programCommand, 'tail', '--json', '--asset', 'AVAX', '--address', to, '--url', node.url], {
      stdout: 'pipe',
    });
    const reader = child.stdout.getReader();
    const first = reader.read();
    const sends = (async () => {
      while (child.exitCode === null && !child.killed) {
        await runCommand('send', to, '1', '--url', node.url);
        await Bun.sleep(50);
      }
    })();
    const line = Buffer.from((await first).value as Uint8Array)
      .toString()
      .split('\n')[0] as string;
    expect(JSON.parse(line)).toMatchObject({ kind: expect.stringMatching(/^(mempool|block)$/), chain: 'X' });
    child.kill('SIGINT');
    expect(await child.exited).toBe(0);
    await sends;
    const { code, err } = await serac('tail', '--kind', 'bogus');
    expect([code, err]).toEqual([1, expect.stringContaining('kind must be one of')]);
  });
});

test('the help of a first word lists its commands', async () => {
  for (const args of [
    ['snapshot', '--help'],
    ['help', 'snapshot'],
  ]) {
    const { code, out } = await runProgram(...args);
    expect([args, code]).toEqual([args, 0]);
    for (const name of ['save', 'revert', 'list', 'delete', 'diff']) expect(out).toContain(`serac snapshot ${name}`);
    expect(out).not.toContain('state save');
    expect(out.split('\n').filter((line) => [...line].length > 80)).toEqual([]);
  }
});

test('impersonate: send and export from an address without its key, until it is stopped', async () => {
  const rich = 'X-local1zg69v7yszg69v7yszg69v7yszg69v7yse2396p';
  await ok('faucet', rich, '7AVAX');
  const refused = await serac('send', to, '2AVAX', '--from', rich);
  expect([refused.code, refused.err.replaceAll(/\s+/g, ' ')]).toEqual([1, expect.stringContaining('serac impersonate start')]);
  expect(await ok('impersonate', 'start', rich)).toBe(`1 address is impersonated\n${rich}\n`);
  expect((await json('send', to, '2AVAX', '--from', rich)).txID).toMatch(id);
  expect((await json('export', 'P', '1AVAX', '--from', rich)).utxoID).toMatch(id);
  expect(await ok('address', rich)).toContain('balance  3.998 AVAX');
  expect(await ok('impersonate', 'stop', rich)).toBe('0 addresses are impersonated\n');
  expect((await serac('send', to, '1AVAX', '--from', rich)).code).toBe(1);
});

test('webhooks: created, shown, stopped and started, given another secret, deleted', async () => {
  const created = await ok('webhooks', 'create', 'http://127.0.0.1:9/hook', to);
  const hook = /^id +(\S+)$/m.exec(created)?.[1] as string;
  const secretOf = (out: string) => /^ +([0-9a-f]{64})$/m.exec(out)?.[1];
  expect(secretOf(created)).toBeDefined();
  const stateOf = async () => /^state +(\w+)/m.exec(await ok('webhooks', 'show', hook))?.[1];
  expect([await ok('webhooks', 'list'), await stateOf()]).toEqual([expect.stringContaining('http://127.0.0.1:9/hook'), 'active']);
  await ok('webhooks', 'disable', hook);
  expect(await stateOf()).toBe('inactive');
  await ok('webhooks', 'enable', hook);
  expect(await stateOf()).toBe('active');
  const other = secretOf(await ok('webhooks', 'secret', hook));
  expect([other === undefined, other === secretOf(created)]).toEqual([false, false]);
  await ok('webhooks', 'delete', hook);
  expect((await serac('webhooks', 'show', hook)).code).toBe(1);
});

/** Commands that have a test file of their own. */
const runElsewhere: Readonly<Record<string, string>> = {
  doctor: 'doctor',
  label: 'address-names',
  reorg: 'dev-reorg',
  run: 'scripts',
  record: 'scripts',
  replay: 'scripts',
  mcp: 'mcp',
};

test('every client command was run, and its help starts with examples within 80 columns', () => {
  for (const name of commandNames.filter((one) => commandTable[one].kind === 'client')) {
    const elsewhere = runElsewhere[name.split(' ')[0] as string];
    const isRun =
      elsewhere === undefined
        ? used.has(name)
        : readFileSync(join(import.meta.dir, `${elsewhere}.test.ts`), 'utf8').includes(`'${name.split(' ').at(-1)}'`);
    expect([name, isRun]).toEqual([name, true]);
    // In this process: fifty starts of the program would show the same text.
    const parsed = parseFlags([...name.split(' '), '--help'], { home: '/root', vars: {}, readFile: String, parseYaml: undefined });
    const text = parsed.kind === 'help' ? parsed.text : '';
    expect([name, text.indexOf('Examples') < text.indexOf('Usage:'), text.split('\n').filter((line) => [...line].length > 80)]).toEqual([
      name,
      true,
      [],
    ]);
  }
});
