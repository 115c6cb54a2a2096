import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { parseFlags } from '../src/app/config/flags.ts';
import { createCertificates } from './certificates.ts';
import { eventually } from './processes.ts';
import { type Program, startProgram } from './program.ts';

/** The files for operators in packaging/ (docs/operate/service.md), tried with the programs that read them, where these are installed. */

const root = resolve(import.meta.dir, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const findProgram = (name: string): string | undefined =>
  Bun.which(name, { PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` }) ?? undefined;
const folder = mkdtempSync(join(tmpdir(), 'serac-operator-files-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Replaces a text that must be there. */
const replace = (text: string, from: string, to: string): string => {
  expect(text).toContain(from);
  return text.replaceAll(from, to);
};

describe('packaging/serac.service', () => {
  const unit = read('packaging/serac.service');
  const [, program = '', flags = ''] = /^ExecStart=(\S+) (.*)$/m.exec(unit) ?? [];

  test('the program accepts its flags, and has time to stop', () => {
    const parsed = parseFlags(flags.split(' '), {});
    if (parsed.kind !== 'run') throw new Error(flags);
    const { options } = parsed;
    expect(options['data-dir']).toBe(`/var/lib/${/^StateDirectory=(\w+)$/m.exec(unit)?.[1]}`);
    const seconds = Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]);
    const milliseconds = Number(options['http-shutdown-wait']) + Number(options['http-shutdown-timeout']);
    expect(seconds).toBeGreaterThan(5 + 10);
    expect(milliseconds).toBeGreaterThan(0);
    // Bun compiles to machine code: it needs memory that it may write and run.
    expect(unit).not.toContain('MemoryDenyWriteExecute');
  });

  const analyze = findProgram('systemd-analyze');
  test.skipIf(analyze === undefined)('systemd-analyze verify has no complaint', () => {
    const verify = (text: string) => {
      const file = join(folder, 'serac.service');
      writeFileSync(file, replace(text, program, process.execPath));
      const { exitCode, stderr } = Bun.spawnSync([analyze as string, 'verify', '--man=no', file]);
      return { exitCode, err: stderr.toString() };
    };
    expect(verify(unit)).toEqual({ exitCode: 0, err: '' });
    expect(verify(unit.replace('Restart=on-failure', 'Restart=sometimes')).err).toContain('sometimes');
  });
});

describe('packaging/alerts.yml', () => {
  type Rule = {
    readonly alert: string;
    readonly expr: string;
    readonly labels: { severity: string };
    readonly annotations: { summary: string };
  };
  const { groups } = parse(read('packaging/alerts.yml')) as { groups: { rules: Rule[] }[] };
  const rules = groups.flatMap((group) => group.rules);

  test('every alert has a severity, a summary and a test', () => {
    const tested = parse(read('packaging/alerts.test.yml')) as {
      tests: { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }[];
    };
    const fired = tested.tests.flatMap(({ alert_rule_test }) => alert_rule_test).filter(({ exp_alerts }) => exp_alerts.length > 0);
    expect(rules.length).toBeGreaterThan(8);
    for (const { alert, labels, annotations } of rules) {
      expect([alert, labels.severity]).toEqual([alert, expect.stringMatching(/^(critical|warning)$/)]);
      expect([alert, annotations.summary]).toEqual([alert, expect.stringMatching(/^.{10,}$/)]);
      expect([alert, fired.some(({ alertname }) => alertname === alert)]).toEqual([alert, true]);
    }
  });

  test('the limit of the mempool is that of the code', () => {
    const [, mebibytes = ''] = /0\.8 \* (\d+) \* 1024 \* 1024/.exec(read('packaging/alerts.yml')) ?? [];
    expect(read('docs/reference/limits.md')).toContain(`| the mempool | ${mebibytes} MiB of transactions`);
  });

  const promtool = findProgram('promtool');
  test.skipIf(promtool === undefined)('promtool: the rules are valid, and each fires when it should', () => {
    const run = (...args: string[]) => {
      const { exitCode, stdout, stderr } = Bun.spawnSync([promtool as string, ...args], { cwd: join(root, 'packaging') });
      return { exitCode, text: stdout.toString() + stderr.toString() };
    };
    expect(run('check', 'rules', 'alerts.yml')).toMatchObject({
      exitCode: 0,
      text: expect.stringContaining(`${rules.length} rules found`),
    });
    expect(run('test', 'rules', 'alerts.test.yml')).toMatchObject({ exitCode: 0 });
    // The configuration of the compose file loads them.
    expect(run('check', 'config', 'prometheus.yml')).toMatchObject({ exitCode: 0, text: expect.stringContaining('1 rule files found') });
  });
});

describe('packaging/kubernetes.yaml', () => {
  type Labels = Readonly<Record<string, string>>;
  type Probe = { httpGet: { path: string; port: string; httpHeaders: { name: string; value: string }[] } };
  type Container = {
    args: string[];
    ports: { name: string; containerPort: number }[];
    volumeMounts: { name: string; mountPath: string }[];
    env?: { name: string; valueFrom: { secretKeyRef: { name: string; key: string } } }[];
    startupProbe: Probe;
    livenessProbe?: Probe;
    readinessProbe?: Probe;
    securityContext: object;
  };
  type Pod = {
    metadata: { labels: Labels; annotations: Labels };
    spec: { securityContext: { runAsUser: number }; volumes: object[]; containers: [Container]; terminationGracePeriodSeconds: number };
  };
  type Item = {
    apiVersion: string;
    kind: string;
    metadata: { name: string };
    stringData?: Labels;
    spec?: {
      selector: Labels & { matchLabels?: Labels };
      template?: Pod;
      ports?: { targetPort: string }[];
      volumeClaimTemplates?: { metadata: { name: string } }[];
    };
  };
  const items = parseAllDocuments(read('packaging/kubernetes.yaml')).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as Item;
  });
  const pods = items.flatMap(({ metadata, spec }) =>
    spec?.template === undefined ? [] : [{ name: metadata.name, spec, pod: spec.template }],
  );

  test('kinds are in their groups, and every selector finds pods', () => {
    const groups = { Secret: 'v1', Service: 'v1', StatefulSet: 'apps/v1', Deployment: 'apps/v1', PodDisruptionBudget: 'policy/v1' };
    for (const { kind, apiVersion, metadata, spec } of items) {
      expect([metadata.name, apiVersion]).toEqual([metadata.name, groups[kind as keyof typeof groups]]);
      const selector = spec?.selector.matchLabels ?? spec?.selector;
      if (selector === undefined) continue;
      const found = pods.filter(({ pod }) => Object.entries(selector).every(([name, value]) => pod.metadata.labels[name] === value));
      expect([metadata.name, found.length]).toEqual([metadata.name, 1]);
    }
    expect(items.map(({ kind }) => kind).sort()).toEqual([
      'Deployment',
      'Deployment',
      'PodDisruptionBudget',
      'Secret',
      'Service',
      'Service',
      'StatefulSet',
    ]);
  });

  test.each(pods)('$name: flags, ports, volumes, secrets and user fit together', ({ spec, pod }) => {
    const [container] = pod.spec.containers;
    const args = container.args.map((arg) => arg.replace('$(DATABASE_URL)', 'postgres://host/name'));
    const parsed = parseFlags(args, {});
    if (parsed.kind !== 'run') throw new Error(JSON.stringify(parsed));
    const { options } = parsed;
    expect([options['http-host'], options['http-port']]).toEqual(['0.0.0.0', container.ports[0]?.containerPort as number]);
    expect(pod.metadata.annotations['prometheus.io/port']).toBe(`${options['http-port']}`);
    const claims = spec.volumeClaimTemplates?.map(({ metadata }) => metadata.name) ?? [];
    // The executable writes its native library to /tmp, which a read-only file system does not have.
    expect(container.volumeMounts.map(({ name }) => name)).toEqual([...claims, 'tmp']);
    expect(pod.spec.volumes).toEqual([{ name: 'tmp', emptyDir: {} }]);
    if (options['data-dir'] !== undefined) expect(container.volumeMounts[0]?.mountPath).toBe(options['data-dir']);
    for (const { valueFrom } of container.env ?? []) {
      const { name, key } = valueFrom.secretKeyRef;
      expect(items.find((item) => item.kind === 'Secret' && item.metadata.name === name)?.stringData).toHaveProperty(key);
    }
    // The user of the image.
    expect(read('Dockerfile')).toContain(`--uid ${pod.spec.securityContext.runAsUser} `);
    for (const { httpGet } of [container.startupProbe, container.livenessProbe, container.readinessProbe].filter(
      (probe) => probe !== undefined,
    )) {
      expect(httpGet.port).toBe(container.ports[0]?.name as string);
      // The name that a probe sends is an allowed host.
      expect(options['http-allowed-hosts']).toContain(httpGet.httpHeaders[0]?.value as string);
    }
  });

  test('a started node answers the probes of the node with 200', async () => {
    const container = pods.find(({ name }) => name === 'serac-node')?.pod.spec.containers[0] as Container;
    const node = await startProgram('--http-allowed-hosts=serac-node');
    for (const probe of [container.startupProbe, container.livenessProbe, container.readinessProbe] as Probe[]) {
      const { path, httpHeaders } = probe.httpGet;
      const answer = await fetch(`${node.url}${path}`, {
        headers: Object.fromEntries(httpHeaders.map(({ name, value }) => [name, value])),
      });
      expect([path, answer.status]).toEqual([path, 200]);
    }
    await node.stop();
  });
});

const nginx = findProgram('nginx');
describe.skipIf(nginx === undefined)('packaging/nginx.conf', () => {
  let [node, stopProxy]: [Program | undefined, () => Promise<void>] = [undefined, async () => {}];
  afterAll(async () => {
    await stopProxy();
    await node?.stop();
  });

  /** Starts nginx on a free port with the file, in which only names, port and certificate are replaced. Returns its URL. */
  async function startProxy(target: number): Promise<string> {
    createCertificates(folder);
    const taken = Bun.serve({ port: 0, fetch: () => new Response() });
    const port = taken.port as number;
    await taken.stop(true);
    let config = replace(read('packaging/nginx.conf'), 'serac.example.org', 'localhost');
    config = replace(config, '127.0.0.1:9650;', `127.0.0.1:${target};`);
    config = replace(config, 'listen 443 ssl', `listen 127.0.0.1:${port} ssl`);
    config = replace(replace(config, '/etc/ssl/serac.crt', join(folder, 'server.pem')), '/etc/ssl/serac.key', join(folder, 'server.key'));
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join('\n');
    const file = join(folder, 'nginx.conf');
    writeFileSync(file, `pid ${folder}/nginx.pid;\ndaemon off;\nevents {}\nhttp {\naccess_log off;\n${paths}\n${config}\n}\n`);
    const child = Bun.spawn(
      [nginx as string, '-c', file, '-e', join(folder, 'error.log'), '-g', process.getuid?.() === 0 ? 'user root;' : ''],
      {
        stderr: 'pipe',
      },
    );
    stopProxy = async () => {
      child.kill('SIGTERM');
      await child.exited;
    };
    const url = `https://localhost:${port}`;
    await eventually(
      async () =>
        child.exitCode === null ? await call(url, '/').catch(() => undefined) : Promise.reject(new Error(read(join(folder, 'error.log')))),
      (answer) => answer !== undefined,
      20_000,
    );
    return url;
  }

  const tls = () => ({ ca: readFileSync(join(folder, 'ca.pem'), 'utf8') });
  const call = (url: string, path: string, init: RequestInit = {}) => fetch(`${url}${path}`, { ...init, tls: tls() } as RequestInit);
  const post = (url: string, method: string) =>
    call(url, '/ext/bc/X', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: {} }),
    });

  test('passes calls, event streams, WebSockets and the address of the client on, and hides metrics and health', async () => {
    node = await startProgram('--trusted-proxies=127.0.0.1', '--http-allowed-hosts=localhost', '--rate-limits=on');
    const url = await startProxy(node.port);
    expect(await (await post(url, 'avm.getHeight')).json()).toMatchObject({ result: { height: '0' } });
    for (const path of ['/ext/metrics', '/ext/health', '/ext/health/liveness'])
      expect([path, (await call(url, path)).status]).toEqual([path, 404]);
    expect((await call(url, '/ready')).status).toBe(200);

    // The first heartbeat arrives while the stream is open: nothing is held back.
    const stream = await call(url, '/ext/events', { headers: { accept: 'text/event-stream' } });
    expect(stream.headers.get('content-type')).toContain('text/event-stream');
    const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
    let text = '';
    while (!text.includes('heartbeat')) text += new TextDecoder().decode((await reader.read()).value);
    await reader.cancel();

    const socket = new WebSocket(`${url.replace('https', 'wss')}/ext/events`, { tls: tls() } as never);
    const message = await new Promise<string>((done, fail) => {
      socket.onmessage = ({ data }) => done(String(data));
      socket.onerror = () => fail(new Error('the WebSocket failed'));
    });
    socket.close();
    expect(JSON.parse(message)).toHaveProperty('kind');

    // Requests are counted for the client's address, whatever the client claims to be.
    const remaining = (...args: string[]): number => {
      const curl = ['curl', '-sS', '--cacert', join(folder, 'ca.pem'), '-o', '/dev/null', '-D', '-', ...args];
      const { stdout } = Bun.spawnSync([...curl, `${url}/v1/networks/local/blockchains/x-chain/blocks`]);
      return Number(/^ratelimit-remaining: (\d+)/im.exec(stdout.toString())?.[1]);
    };
    const first = remaining();
    expect(first).toBeGreaterThan(0);
    const second = remaining('-H', 'X-Forwarded-For: 203.0.113.9');
    expect(second).toBeLessThan(first);
    if (process.platform === 'linux') expect(remaining('--interface', '127.0.0.2')).toBeGreaterThan(second);
  });
});

const caddy = findProgram('caddy');
test.skipIf(caddy === undefined)('packaging/Caddyfile: caddy accepts it, without a warning', () => {
  const { exitCode, stdout, stderr } = Bun.spawnSync(
    [caddy as string, 'adapt', '--config', 'packaging/Caddyfile', '--adapter', 'caddyfile'],
    {
      cwd: root,
      env: { ...process.env, HOME: folder },
    },
  );
  expect([exitCode, stderr.toString()]).toEqual([0, '']);
  expect(JSON.stringify(JSON.parse(stdout.toString()))).toContain('"dial":"127.0.0.1:9650"');
});
