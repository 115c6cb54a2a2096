import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { readMemory } from '../bench/process-usage.ts';
import type { Program } from './program.ts';

/** Connections that send a request and read nothing, until they are closed. */
type UnreadClients = { readonly sockets: readonly Socket[]; readonly close: () => void };

export async function openUnreadClients(port: number, count: number, request: string): Promise<UnreadClients> {
  const sockets = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<Socket>((resolve, reject) => {
          const socket = connect(port, '127.0.0.1', () => {
            socket.pause();
            socket.write(request);
            resolve(socket);
          });
          socket.once('error', reject);
          socket.on('error', () => undefined);
        }),
    ),
  );
  return { sockets, close: () => sockets.forEach((socket) => void socket.destroy()) };
}

/** CPU milliseconds that a process has used. */
function readCpuMilliseconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  // utime and stime, in ticks of 10 ms.
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** The most CPU milliseconds that the node used while a small request waited, and its highest memory in megabytes, within some time. */
export async function probeNode({ pid, client }: Program, milliseconds: number): Promise<{ waited: number; megabytes: number }> {
  let waited = 0;
  let megabytes = 0;
  for (const end = performance.now() + milliseconds; performance.now() < end; ) {
    const before = readCpuMilliseconds(pid);
    await client.call('/ext/info', 'info.getNetworkID', {});
    waited = Math.max(waited, readCpuMilliseconds(pid) - before);
    megabytes = Math.max(megabytes, readMemory(pid)?.megabytes ?? 0);
    await Bun.sleep(5);
  }
  return { waited, megabytes };
}
