import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandOf, textsOf } from './dockerfile.ts';
import { buildImage, type Image } from './image.ts';
import { type PrivatePostgres, postgresInstalled, startPostgres } from './postgres.ts';
import { eventually } from './processes.ts';
import { type PrivateRedis, redisBinary, startRedis } from './redis.ts';

/** Image and compose file as users run them, without Docker. */

/** What this needs and a machine may lack: the first that is missing. */
const isInstalled = (name: string) => Bun.which(name, { PATH: `${process.env.PATH}:/usr/sbin:/sbin` }) !== null;
const missing = [
  ...['debootstrap', 'chroot', 'unshare', 'nsenter', 'ip'].filter((name) => !isInstalled(name)),
  ...(existsSync('/usr/share/keyrings/debian-archive-keyring.gpg') ? [] : ["Debian's keys for debootstrap"]),
  ...(process.getuid?.() === 0 && Bun.spawnSync(['unshare', '--mount', '--pid', '--net', '--fork', 'true']).success
    ? []
    : ['root rights for debootstrap']),
][0];

type Service = { readonly image: string; readonly command: string[]; readonly environment?: Record<string, string> };
const { services } = Bun.YAML.parse(readFileSync('packaging/compose.yaml', 'utf8')) as {
  services: Record<'node' | 'indexer' | 'api', Service>;
};

/** Seconds after which `docker stop` kills a container. */
const dockerStopTimeout = 10;

const blocksPath = '/v1/networks/local/blockchains/x-chain/blocks';

/** An expression that calls a method of the node on loopback. */
const call = (method: string, path = '/ext/bc/X', host = '127.0.0.1:9650') =>
  `await fetch('http://127.0.0.1:9650${path}', { method: 'POST', headers: { 'content-type': 'application/json', host: '${host}' }, body: '{"jsonrpc":"2.0","id":1,"method":"${method}","params":{}}' })`;

describe.skipIf(missing !== undefined)(`the image in a Debian root${missing === undefined ? '' : ` (missing: ${missing})`}`, () => {
  let image: Image;
  beforeAll(() => {
    image = buildImage(Object.keys(services));
  }, 1_200_000);
  afterAll(() => image?.remove());

  test('has the executable, an unprivileged user with a folder for its data, and neither Node nor npm', () => {
    const { root, stage, user } = image;
    const { mode, uid } = statSync(join(root, textsOf(stage, 'VOLUME')[0] as string));
    expect([mode & 0o777, `${uid}`]).toEqual([0o700, user]);
    expect(['serac', 'node', 'npm'].map((name) => existsSync(join(root, 'usr/local/bin', name)))).toEqual([true, false, false]);
    expect(existsSync(join(root, 'usr/bin/node'))).toBe(false);
    expect(readFileSync(join(root, 'etc/passwd'), 'utf8')).toContain(`serac:x:${user}:`);
  });

  test('docker run: healthy, without /ext/dev, with rate limits, stops in time, and finds its chain again', async () => {
    const network = await image.startNetwork();
    const volume = image.createVolume('serac');
    const firstBlock = `(await (${call('avm.getBlockByHeight').replace('"params":{}', '"params":{"height":"1","encoding":"hex"}')}).json()).result.block`;
    const first = await image.startContainer(network, volume, commandOf(image.stage, 'CMD'));
    await first.untilHealthy();
    expect(readFileSync(`/proc/${first.pid}/status`, 'utf8')).toMatch(new RegExp(`^Uid:\\t${image.user}\\t`, 'm'));
    const block = first.evaluate(firstBlock);
    expect(block).toStartWith('0x');
    expect(first.evaluate(`(${call('dev.nodeInfo', '/ext/dev')}).status`)).toBe(404);
    expect(first.evaluate(`(await fetch('http://127.0.0.1:9650${blocksPath}')).headers.has('ratelimit-remaining')`)).toBe(true);
    const { code, seconds, err } = await first.stop();
    expect([code, err]).toEqual([0, '']);
    expect(seconds).toBeLessThan(dockerStopTimeout);

    const again = await image.startContainer(network, volume, commandOf(image.stage, 'CMD'));
    await again.untilHealthy();
    // Block 1 has the time of the first start.
    expect(again.evaluate(firstBlock)).toEqual(block);
    expect((await again.stop()).code).toBe(0);
  });

  const hasServers = postgresInstalled && redisBinary !== undefined;
  test.skipIf(!hasServers)('docker compose: node, indexer and API with PostgreSQL and Redis find each other by their names', async () => {
    const network = await image.startNetwork();
    const folder = mkdtempSync(join(tmpdir(), 'serac-compose-'));
    const postgres = (await startPostgres()) as PrivatePostgres;
    const redis = (await startRedis(['--unixsocket', join(folder, 'redis.sock')])) as PrivateRedis;
    try {
      const sql = new Bun.SQL(postgres.url);
      await sql`create database serac`;
      await sql.close();
      image.forward(network, 5432, join(postgres.folder, `.s.PGSQL.${postgres.port}`));
      image.forward(network, 6379, join(folder, 'redis.sock'));
      const start = (name: keyof typeof services) =>
        image.startContainer(network, image.createVolume(name), services[name].command, services[name].environment);
      const [node, indexer, api] = [await start('node'), await start('indexer'), await start('api')];
      for (const container of [node, indexer, api]) await container.untilHealthy();

      const statusFor = (host: string) => node.evaluate(`(${call('avm.getHeight', '/ext/bc/X', host)}).status`);
      expect([statusFor('node:9650'), statusFor('localhost:9650'), statusFor('example.org')]).toEqual([200, 200, 403]);
      await eventually(
        () => api.evaluate(`(await (await fetch('http://api:9670${blocksPath}')).json()).blocks?.length`),
        (count) => count === 2,
      );
      expect(api.evaluate(`(await fetch('http://indexer:9680/ext/metrics')).status`)).toBe(200);
      for (const container of [api, indexer, node]) expect((await container.stop()).code).toBe(0);
    } finally {
      await redis.kill();
      await postgres.remove();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
