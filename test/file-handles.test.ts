import { afterAll, expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { eventually } from './processes.ts';
import { startProgramWith } from './program.ts';

/** A node that may have 64 files and sockets open, and clients that open connections and send nothing. */

const sockets: Socket[] = [];
afterAll(() => {
  for (const socket of sockets) socket.destroy();
});

function openSilent(port: number, localAddress: string, count: number): void {
  for (let i = 0; i < count; i++) sockets.push(connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {}));
}

type Health = { readonly checks: { readonly connections: { readonly error?: string; readonly message: Record<string, number> } } };

test.if(process.platform === 'linux')(
  'silent connections do not take all handles: requests are answered, the log and the health check say it',
  async () => {
    const node = await startProgramWith(['sh', '-c', 'ulimit -n 64; exec "$@"', 'sh'], '--workers=0');
    const readHealth = async (): Promise<Health['checks']['connections'] | undefined> => {
      try {
        // A connection of its own, which may be closed as well.
        const response = await fetch(`${node.url}/ext/health`, { headers: { connection: 'close' }, signal: AbortSignal.timeout(5000) });
        return ((await response.json()) as Health).checks.connections;
      } catch {
        return undefined;
      }
    };
    try {
      openSilent(node.port, '127.0.0.1', 200);
      const found = await eventually(readHealth, (check) => (check?.message.closed ?? 0) >= 150);
      expect(found?.error).toBeUndefined();
      const { max = 0, maxPerAddress = 0 } = found?.message ?? {};
      expect([max > 20, maxPerAddress]).toEqual([true, Math.floor(max / 2)]);
      // Other addresses, each within its limit, have more than all together may have.
      for (const host of ['127.0.0.2', '127.0.0.3', '127.0.0.4']) openSilent(node.port, host, maxPerAddress);
      const full = await eventually(readHealth, (check) => check?.error !== undefined);
      expect(full?.error).toBe(
        `all ${max} connections are in use: this process may have 64 files and sockets open; raise that limit (ulimit -n) to allow more`,
      );
      const lines = node.stderrText().trim().split('\n');
      expect(lines).toEqual([
        expect.stringContaining(`127.0.0.1 has more than ${maxPerAddress} connections; those without traffic for longest are closed`),
        expect.stringContaining(`there are more than ${max} connections; those without traffic for longest are closed`),
      ]);
    } finally {
      expect(await node.stop()).toBe(0);
    }
  },
);
