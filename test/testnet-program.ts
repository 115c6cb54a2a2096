import { createClient } from './http.ts';
import { isBootstrapped, type NetworkNode, peersOf } from './network-nodes.ts';
import { eventually } from './processes.ts';
import { programCommand } from './program.ts';

type Line = { readonly event?: string; readonly node?: number; readonly state?: string; readonly pid?: number | null };
type Banner = { readonly nodes: readonly { node: number; kind: string; nodeID: string; url: string; dataDir: string }[] };

/** Runs `serac testnet` and reads its lines of JSON. */
export async function startTestnet(...args: string[]) {
  const child = Bun.spawn([...programCommand, 'testnet', ...args, '--http-port=0', '--json'], { stdout: 'pipe', stderr: 'inherit' });
  const lines: Line[] = [];
  const first = Promise.withResolvers<Banner>();
  const read = async (): Promise<void> => {
    let text = '';
    for await (const chunk of child.stdout) {
      text += Buffer.from(chunk).toString('utf8');
      const parts = text.split('\n');
      text = parts.pop() as string;
      for (const line of parts) {
        lines.push(JSON.parse(line));
        if (lines.length === 1) first.resolve(lines[0] as unknown as Banner);
      }
    }
  };
  void read();
  const { nodes } = await first.promise;
  const clients = nodes.map(({ url }) => createClient(Number(new URL(url).port)));
  return {
    banner: nodes,
    nodes: nodes.map(({ node, kind }, i): NetworkNode => ({ name: `node ${node} (${kind})`, client: clients[i] as never })),
    lines,
    pidOf: (node: number) => lines.findLast((line) => line.node === node && typeof line.pid === 'number')?.pid as number,
    stop: async () => {
      for (const client of clients) client.close();
      child.kill('SIGINT');
      return child.exited;
    },
    /** Kills it without a clean end. */
    kill: async () => {
      for (const client of clients) client.close();
      child.kill('SIGKILL');
      return child.exited;
    },
  };
}

/** Waits until nodes are bootstrapped and have so many peers. */
export const untilUp = (nodes: readonly NetworkNode[], peers: number, timeout = 60_000): Promise<unknown> =>
  eventually(
    async () =>
      Promise.all(nodes.map(async (node) => (await isBootstrapped(node)) && (await peersOf(node)).length === peers)).catch(() => [false]),
    (isUp) => isUp.every(Boolean),
    timeout,
  );
