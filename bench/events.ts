import { connect } from 'node:net';
import { fetchNode } from '../src/api/client/node-fetch.ts';
import type { Tx } from '../src/avm/tx/tx.ts';
import { createAddressFormatter } from '../src/base/bytes/address.ts';
import { formatHex } from '../src/base/bytes/hex.ts';
import { createWallet, ewoqGenesisUtxo } from '../test/wallet-kit.ts';
import { BenchError } from './fault.ts';
import { createSpendFixture, issueFixture, rpcBody, waitAccepted, xPath } from './fixture.ts';
import type { LoadGenerator } from './load.ts';
import type { Options } from './options.ts';
import { readCpuSeconds, readMemory } from './process-usage.ts';
import { type BenchEnv, serac } from './servers.ts';

const filteredClients = 1000;
const unfilteredClients = 10;
const txsPerSecond = 500;

/**
 * Issues transactions at a steady rate, with and without clients of the event stream. Every client without a filter must get every
 * transaction. Reported per side: CPU time of the node per transaction, and the delay from the call of issueTx to the event.
 */
export async function runEvents(env: BenchEnv, load: LoadGenerator, { rounds, seconds, quick }: Options): Promise<void> {
  const length = quick ? 3 : Math.max(seconds, 5);
  const count = length * txsPerSecond;
  const fixture = createSpendFixture(ewoqGenesisUtxo, 2 * rounds, count);
  const server = await serac(env).start();
  try {
    await issueFixture(fixture, server.port, load);
    console.log('| clients | CPU per transaction | delay of events, median / 99 % | events received | memory |');
    console.log('|---|---|---|---|---|');
    for (const [round, txs] of fixture.toIssue.entries()) {
      const withClients = round % 2 === 1;
      const clients = withClients ? await openClients(server.port) : undefined;
      const before = readCpuSeconds(server.pid) ?? Number.NaN;
      const issuedAt = await issueSteadily(txs, server.port);
      await waitAccepted(txs, server.port, load);
      await clients?.untilReceived(count);
      const cpu = (((readCpuSeconds(server.pid) ?? Number.NaN) - before) / count) * 1e6;
      const delays = clients?.delays(issuedAt) ?? [];
      const percentile = (part: number) => `${Math.round(delays[Math.floor(delays.length * part)] ?? Number.NaN)} ms`;
      const delay = withClients ? `${percentile(0.5)} / ${percentile(0.99)}` : '';
      const name = withClients ? `${filteredClients} filtered, ${unfilteredClients} unfiltered` : 'none';
      const memory = `${Math.round(readMemory(server.pid)?.megabytes ?? Number.NaN)} MB`;
      console.log(`| ${name} | ${Math.round(cpu)} µs | ${delay} | ${clients?.received() ?? ''} | ${memory} |`);
      clients?.close();
      await Bun.sleep(200);
    }
  } finally {
    await server.stop();
  }
}

/** Issues transactions at a steady rate; returns when each was sent, by its ID in the response. */
async function issueSteadily(txs: readonly Tx[], port: number): Promise<ReadonlyMap<string, number>> {
  const issuedAt = new Map<string, number>();
  const start = performance.now();
  const issue = async (tx: Tx): Promise<void> => {
    const sent = performance.now();
    const body = rpcBody('avm.issueTx', { tx: formatHex('hex', tx.bytes), encoding: 'hex' });
    const response = await fetchNode(`http://127.0.0.1:${port}${xPath}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const { result, error } = (await response.json()) as { result?: { txID: string }; error?: { message: string } };
    if (result === undefined) throw new BenchError(`issueTx: ${error?.message}`);
    issuedAt.set(result.txID, sent);
  };
  const running: Promise<void>[] = [];
  for (const [i, tx] of txs.entries()) {
    const wait = start + (i * 1000) / txsPerSecond - performance.now();
    if (wait > 1) await Bun.sleep(wait);
    running.push(issue(tx));
  }
  await Promise.all(running);
  return issuedAt;
}

/** Opens the clients. No transaction has the address of a filtered client: what is measured is the cost of finding that out. */
async function openClients(port: number) {
  const format = createAddressFormatter('X', 'local');
  const { keys } = createWallet('event clients', { count: filteredClients });
  const receivedAt = new Map<string, number>();
  let received = 0;
  let ready = 0;
  const open = (query: string, isFirst: boolean) => {
    let rest = '';
    let isReady = false;
    const socket = connect(
      port,
      '127.0.0.1',
      () => void socket.write(`GET /ext/events?kind=tx${query} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`),
    );
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => {
      const text = rest + chunk;
      const end = text.lastIndexOf('\n') + 1;
      rest = text.slice(end);
      for (const line of text.slice(0, end).split('\n')) {
        if (line === 'event: heartbeat' && !isReady) {
          isReady = true;
          ready++;
        }
        if (line !== 'event: tx' && !line.startsWith('data: {')) continue;
        if (line === 'event: tx') {
          received++;
          continue;
        }
        const txID = isFirst ? /"txID":"(\w+)"/.exec(line)?.[1] : undefined;
        if (txID !== undefined) receivedAt.set(txID, performance.now());
      }
    });
    return socket;
  };
  const sockets = [
    ...Array.from({ length: unfilteredClients }, (_, i) => open('', i === 0)),
    ...keys.slice(0, filteredClients).map((key) => open(`&address=${format(key.address)}`, false)),
  ];
  const limit = performance.now() + 30_000;
  while (ready < sockets.length) {
    if (performance.now() > limit) throw new BenchError(`only ${ready} of ${sockets.length} clients are connected`);
    await Bun.sleep(10);
  }
  return {
    received: () => received,
    untilReceived: async (count: number) => {
      const until = performance.now() + 30_000;
      while (received < count * unfilteredClients) {
        if (performance.now() > until) throw new BenchError(`clients received ${received} of ${count * unfilteredClients} events`);
        await Bun.sleep(5);
      }
    },
    delays: (issuedAt: ReadonlyMap<string, number>) =>
      [...receivedAt].map(([txID, at]) => at - (issuedAt.get(txID) ?? Number.NaN)).sort((a, b) => a - b),
    close: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}
