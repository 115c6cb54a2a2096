import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type ActionName, actionNames, devActions } from '../src/explorer/views/dev-actions.ts';
import { chromiumBinary, openChromium, type Page } from './chromium.ts';
import { type DevNode, startDevNode } from './dev-node.ts';
import { eventually } from './processes.ts';

/** The dev panel in a real Chromium: every action once, errors at their fields, and what can be undone. */
const binary = chromiumBinary();
const stranger = 'X-local1qurswpc8qurswpc8qurswpc8qurswpc8lzh465';
const done = new Set<ActionName>();

describe.skipIf(binary === undefined)('Chromium: the dev panel', () => {
  let node: DevNode;
  let page: Page;
  let url: string;
  const until = (expression: string): Promise<boolean> => eventually(() => page.run<boolean>(expression), Boolean, 30_000);
  const text = (selector: string): Promise<string> => page.run(`document.querySelector(${JSON.stringify(selector)})?.textContent ?? ''`);
  const open = async (path: string): Promise<void> => {
    await page.open(`${url}/node`);
    await page.open(url + path);
    await until(`document.querySelector('.stream-state.live') !== null`);
  };
  /** Fills in the fields of an action, an entry of a list by its first words, and submits it. Returns its sentence, or the error and its field. */
  const act = async (name: ActionName, values: Record<string, string | boolean> = {}): Promise<string> => {
    const form = `document.querySelector('#${name} form')`;
    await until(`${form} !== null && !${form}.querySelector('button[type=submit]').disabled`);
    for (const [field, value] of Object.entries(values)) {
      const isSet = await until(`(() => {
        const input = ${form}.elements[${JSON.stringify(field)}];
        const value = ${JSON.stringify(value)};
        if (input === undefined) return false;
        if (input.type === 'checkbox') input.checked = value;
        else if (input instanceof HTMLSelectElement) {
          const option = [...input.options].find(({ text }) => text.startsWith(value));
          if (option === undefined) return false;
          input.value = option.value;
        } else input.value = value;
        input.dispatchEvent(new Event('input', { bubbles: true }));
        return true;
      })()`);
      expect([name, field, isSet]).toEqual([name, field, true]);
    }
    const note = `document.querySelector('#${name} .form-note')`;
    await page.run(`(() => { ${note}.dataset.before = ${note}.innerHTML; ${form}.requestSubmit(); })()`);
    const answer = `(() => {
      const wrong = [...${form}.querySelectorAll('.field-note')].find(({ textContent }) => textContent !== '');
      if (wrong !== undefined) return wrong.id + ': ' + wrong.textContent;
      const { innerHTML, textContent, dataset } = ${note};
      return innerHTML !== dataset.before && !${form}.querySelector('button[type=submit]').disabled ? textContent : '';
    })()`;
    done.add(name);
    return eventually(
      () => page.run<string>(answer),
      (said) => said !== '',
      30_000,
    );
  };
  /** Submits an action that succeeds, and opens the transaction to which its sentence links. */
  const actInTx = async (name: ActionName, values: Record<string, string | boolean>): Promise<string> => {
    const said = await act(name, values);
    const href = await page.run<string>(`document.querySelector('#${name} .form-note a[href^="/tx/"]')?.getAttribute('href') ?? ''`);
    expect([name, said, (await node.program().client.send('GET', href, { accept: 'text/html' })).status]).toEqual([name, said, 200]);
    return said.replace(/ \S+…\S+$/, '');
  };
  const press = async (label: string): Promise<void> => {
    const button = `[...document.querySelectorAll('button')].find(({ textContent, ariaLabel }) => (ariaLabel ?? textContent) === ${JSON.stringify(label)})`;
    expect([label, await until(`${button} !== undefined && !${button}.disabled`)]).toEqual([label, true]);
    await page.run(`${button}.click()`);
  };
  const balanceOf = async (account: number): Promise<string> => (await node.dev('dev.accounts')).accounts[account].balance;
  const heightNow = async (): Promise<number> => Number((await node.dev('dev.nodeInfo')).height);
  /** The strip that offers to undo an action is shown from its snapshot on, which is taken before the action. */
  const untilHeight = (height: number): Promise<number> => eventually(heightNow, (now) => now === height);
  const names = async (): Promise<string[]> => (await node.dev('dev.listSnapshots')).snapshots.map(({ name }: { name: string }) => name);

  beforeAll(async () => {
    node = await startDevNode('in memory', '--accounts=3', '--reorg-depth=8');
    url = node.program().url;
    page = await openChromium(binary!);
    await open('/dev');
  });
  afterAll(async () => {
    await page.close();
    await node.stop();
  });

  test('money is sent from any account, to an account or address, in the unit of the chosen asset', async () => {
    const before = await balanceOf(1);
    expect(await actInTx('send', { from: 'account 1', to: 'account 2', amount: '12.5', memo: 'rent' })).toBe(
      'Sent 12.5 AVAX from account 1 to account 2.',
    );
    expect(BigInt(before) - BigInt(await balanceOf(1))).toBe(12_501_000_000n);
    expect(await page.run(`document.querySelector('#send [name=memo]').value`)).toBe('');
    expect(await actInTx('faucet', { to: 'another address', 'to-other': stranger, amount: '1,000' })).toBe(
      'Sent 1,000 AVAX from account 0 to qursw…lzh465.',
    );
    expect(await actInTx('createAsset', { symbol: 'ICE', denomination: '2', supply: '10', owner: 'account 1' })).toBe(
      'Created 10 ICE, owned by account 1. ICE',
    );
    expect(await actInTx('mint', { assetID: 'ICE', to: 'account 1', amount: '0.25' })).toBe('Minted 0.25 ICE for account 1.');
    // The accounts show what they hold without a reload, as a reload does.
    expect(await until(`document.querySelector('.accounts').textContent.includes('10.25 ICE')`)).toBe(true);
    expect(await actInTx('send', { from: 'account 1', assetID: 'ICE, Serac Ice: 10.25', to: 'account 0', amount: '1.5' })).toBe(
      'Sent 1.5 ICE from account 1 to account 0.',
    );
    const live = await eventually(
      () => text('.accounts'),
      (shown) => shown.includes('8.75 ICE'),
    );
    await open('/dev');
    expect(await text('.accounts')).toBe(live);
  });

  test('NFTs and properties are created, minted, sent and burned, chosen from lists', async () => {
    expect(await actInTx('createNFT', { groups: '2' })).toBe('Created the NFT family Cards (CARD) with 2 groups. CARD');
    expect(await actInTx('mintNFT', { assetID: 'CARD', to: 'account 2', payload: 'ace of <b>' })).toBe('Minted CARD 0 for account 2.');
    expect(await actInTx('sendNFT', { utxoID: 'CARD 0, ace of <b>, of account 2', to: 'account 1' })).toBe(
      'Sent CARD 0, ace of <b>, of account 2 to account 1.',
    );
    expect(await actInTx('createProperty', {})).toBe('Created the property Titles (TTL). TTL');
    expect(await actInTx('mintProperty', { assetID: 'TTL', to: 'account 1' })).toBe('Minted TTL for account 1.');
    expect(await actInTx('burnProperty', { utxoID: 'TTL, of account 1' })).toBe('Burned TTL, of account 1.');
  });

  test('money goes to other chains and comes from them', async () => {
    expect(await actInTx('export', { from: 'account 2', destinationChain: 'P-Chain', amount: '2' })).toBe(
      'Exported 2 AVAX from account 2 to the P-Chain.',
    );
    expect(await act('claimExport', { utxoID: '2 AVAX to the P-Chain' })).toBe(
      'The P-Chain has imported 2 AVAX to the P-Chain. Cross-chain',
    );
    expect(await act('import', { from: 'account 2' })).toMatch(/^import-from-note: Nothing waits for .*Make a deposit first\.$/);
    expect(await act('deposit', { from: 'C-Chain', to: 'account 2' })).toBe(
      '10 AVAX from the C-Chain can be imported by account 2. Cross-chain',
    );
    expect(await actInTx('import', { from: 'account 2' })).toBe('Imported 1 output from the C-Chain for account 2.');
  });

  test('addresses get names, and are impersonated', async () => {
    expect(await act('label', { address: 'account 1', name: 'alice' })).toBe('account 1 is called alice now.');
    expect(await act('impersonate', { address: 'another address', 'address-other': stranger })).toContain('need no signature now');
    expect(await actInTx('send', { from: 'qursw…lzh465', to: 'alice (account 1)', amount: '5' })).toBe(
      'Sent 5 AVAX from qursw…lzh465 to alice (account 1).',
    );
    expect(await act('stopImpersonating', {})).toBe('Transactions of qursw…lzh465 need its signature again.');
    expect(await act('setAutoImpersonate', { enabled: true })).toBe('No transaction needs a signature now.');
    expect(await act('setAutoImpersonate', { enabled: false })).toBe('Transactions need their signatures again.');
    // What somebody else impersonates is in the lists of an open page.
    await node.dev('dev.impersonate', { address: stranger });
    expect(await until(`[...document.querySelector('#send [name=from]').options].some(({ text }) => text === 'qursw…lzh465')`)).toBe(true);
    await node.dev('dev.stopImpersonating', { address: stranger });
  });

  test('an error is at its field, which has the focus, with its remedy', async () => {
    expect(await act('send', { from: 'alice', assetID: 'AVAX', amount: '99999999' })).toMatch(
      /^send-amount-note: .*use the faucet first\.$/,
    );
    expect(await until(`document.activeElement.name === 'amount' && document.activeElement.ariaInvalid === 'true'`)).toBe(true);
    expect(await page.run(`document.querySelector('#' + document.activeElement.getAttribute('aria-describedby')).ariaLive`)).toBe('polite');
    expect(await act('send', { assetID: 'ICE', amount: '0.001' })).toBe('send-amount-note: ICE has 2 decimals at most.');
    expect(await act('send', { amount: '1', to: 'another address', 'to-other': 'X-local1nobody' })).toMatch(
      /^send-to-note: X-local1nobody is not/,
    );
    expect(await act('label', { address: 'alice', name: 'account 7' })).toMatch(
      /^label-name-note: .* is what an account is called already\.$/,
    );
    expect(await act('createAsset', { symbol: 'ice' })).toMatch(/^createAsset-symbol-note: /);
  });

  test('blocks, the clock and faults', async () => {
    const height = await heightNow();
    expect(await act('mine', { blocks: '2' })).toBe(`Mined up to block ${height + 2}.`);
    await node.dev('dev.setAutomine', { enabled: false });
    const { txID } = await node.dev('dev.send', { to: 1, amount: '1 AVAX' });
    expect(await act('dropTx', { txID: 'BaseTx' })).toStartWith('Dropped BaseTx ');
    expect((await node.dev('dev.getTxLifecycle', { txID })).steps.at(-1).step).toBe('dropped');
    await node.dev('dev.setAutomine', { enabled: true });
    expect(await act('setNextBlockTime', { time: '2031-01-31T00:00:00' })).toBe('The next block is at 2031-01-31T00:00:00Z.');
    await node.dev('dev.resetTime');
    expect(await act('setLatency', { ms: '1', method: 'avm.getHeight' })).toBe('avm.getHeight takes 1 ms longer now.');
    expect(await act('failNext', {})).toBe('The next call of avm.issueTx will fail.');
    expect(await act('failNext', { method: 'avm.nothing' })).toMatch(/^failNext-method-note: /);
    expect(await act('setUnhealthy', { check: 'X' })).toBe('The health check X fails now.');
    // The list can be shorter before the call that ended a fault has its answer; until then the buttons take no click.
    for (let left = 3; left > 0; left--) {
      expect(await until(`document.querySelectorAll('button[aria-label^="End: "]:enabled').length === ${left}`)).toBe(true);
      await page.run(`document.querySelector('button[aria-label^="End: "]').click()`);
    }
    expect(await until(`document.querySelector('button[aria-label^="End: "]') === null`)).toBe(true);
  });

  test('a snapshot has a name and says what changed since; a revert on any page is undone by one click', async () => {
    expect(await act('snapshot', { name: 'before the sale' })).toBe(`Took the snapshot before the sale at block ${await heightNow()}.`);
    await node.dev('dev.send', { from: 2, to: 0, amount: '3 AVAX' });
    const height = await heightNow();
    await press('What changed since before the sale');
    expect(await until(`document.querySelector('.undone') !== null`)).toBe(true);
    expect(await text('.undone')).toContain('Since before the sale: 1 block and 1 transaction more. 2 balances changed:');
    expect(await text('.undone')).toContain('account 2−3.001 AVAX');
    await open('/blocks');
    await press('Revert');
    const strip = (): Promise<string> => text('[data-undo]');
    const reverted = `Reverted from height ${height} to ${height - 1}.`;
    expect(await eventually(strip, (shown) => shown.startsWith(reverted))).toStartWith(reverted);
    expect(await untilHeight(height - 1)).toBe(height - 1);
    // It is there after a reload and without script, and not among the snapshots of the developer.
    const { text: html } = await node.program().client.send('GET', '/dev', { accept: 'text/html' });
    expect([html.includes('data-undo'), html.split('id="payload"')[0]?.includes('page undo')]).toEqual([true, false]);
    expect(await names()).toEqual(['before the sale', `page undo: revert to ${height - 1}`]);
    await press('Undo');
    expect(await until(`document.querySelector('[data-undo]') === null`)).toBe(true);
    expect([await heightNow(), await names()]).toEqual([height, ['before the sale']]);
    expect(await until(`document.body.textContent.includes('The chain is at block ${height} again.')`)).toBe(true);
  });

  test('what came after a revert is not lost by an undo without a question; there is one undo, and it can be dismissed', async () => {
    await open('/dev');
    const height = await heightNow();
    await press('Revert to before the sale');
    expect(await until(`document.querySelector('[data-undo]') !== null`)).toBe(true);
    await node.dev('dev.mine', { blocks: 2 });
    expect(await until(`document.querySelector('.foot').textContent.includes('block ${height + 1}')`)).toBe(true);
    await press('Undo');
    expect(await until(`document.querySelector('[data-undo]').textContent.includes('2 blocks that came since would go.')`)).toBe(true);
    expect(await heightNow()).toBe(height + 1);
    // The next action takes the place of the first.
    expect(await act('reorg', { depth: '1' })).toMatch(/^Replaced 1 block up to block \d+\. 1 transaction came back to the mempool\.$/);
    expect(await names()).toEqual(['before the sale', `page undo: reorg to ${height + 1}`]);
    await press('Dismiss');
    expect(await until(`document.querySelector('[data-undo]') === null`)).toBe(true);
    expect(await names()).toEqual(['before the sale']);
  });

  test('a reset and a state file are undone with the names of addresses; a snapshot is deleted after a question', async () => {
    const height = await heightNow();
    const { labels } = await node.dev('dev.labels');
    expect(labels).toHaveLength(1);
    expect(await act('reset')).toBe('The chain is new again, at block 1.');
    expect((await node.dev('dev.labels')).labels).toEqual([]);
    await press('Undo');
    expect(await until(`document.querySelector('[data-undo]') === null`)).toBe(true);
    expect([await heightNow(), (await node.dev('dev.labels')).labels, await names()]).toEqual([height, labels, ['before the sale']]);
    await page.run(`(async () => {
      const file = new File([await (await fetch('/ext/dev/state')).blob()], 'chain.state');
      const input = document.querySelector('input[type=file]');
      const transfer = new DataTransfer();
      transfer.items.add(file);
      input.files = transfer.files;
      await fetch('/ext/dev', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'dev.mine' }) });
      input.dispatchEvent(new Event('change', { bubbles: true }));
    })()`);
    expect(await until(`document.querySelector('[data-undo]')?.textContent.startsWith('Loaded a state file') === true`)).toBe(true);
    expect(await untilHeight(height)).toBe(height);
    // How high the file was is not known, so there is a question.
    await press('Undo');
    await press('Undo anyway');
    expect(await until(`document.querySelector('[data-undo]') === null`)).toBe(true);
    expect([await heightNow(), (await node.dev('dev.labels')).labels]).toEqual([height + 1, labels]);
    await press('Delete the snapshot before the sale');
    await press('Keep it');
    expect(await names()).toEqual(['before the sale']);
    await press('Delete the snapshot before the sale');
    expect(await text('.question p')).toBe('Delete the snapshot before the sale? It cannot be brought back.');
    await page.run(`document.querySelector('.question button.danger').click()`);
    expect(await eventually(names, (left) => left.length === 0)).toEqual([]);
  });

  test('the URL of an action opens its form; every action was tried', async () => {
    await open('/dev#mintNFT');
    expect(await until(`document.activeElement?.closest('details')?.id === 'mintNFT'`)).toBe(true);
    expect(await page.run(`document.querySelector('#mintNFT').open`)).toBe(true);
    const ids = await page.run<string[]>(`[...document.querySelectorAll('[id]')].map(({ id }) => id)`);
    expect(actionNames.filter((name) => !ids.includes(name))).toEqual([]);
    // The clock has buttons and a slider in place of these forms; test/explorer-browser.test.ts uses them.
    const byClock = actionNames.filter((name) => ['dev.freezeTime', 'dev.resetTime', 'dev.setTime'].includes(devActions[name].method));
    expect(actionNames.filter((name) => !done.has(name))).toEqual(byClock);
    expect(page.console).toEqual([]);
  });
});
