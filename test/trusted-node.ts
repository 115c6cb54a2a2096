/** A stand-in for a trusted node, which tests let stop, lie and fall silent: it only knows the height and the validators of the P-Chain of a network, by default the local one. */
export function startTrustedNode(port = 0, networkID = 12345) {
  const chain = { height: 1, validators: [] as string[], isDown: false, isMalformed: false, isSilent: false };
  const answers: { readonly [method: string]: () => unknown } = {
    'info.getNetworkID': () => ({ networkID: String(networkID) }),
    'platform.getHeight': () => ({ height: chain.isMalformed ? null : String(chain.height) }),
    'platform.getProposedHeight': () => ({ height: String(chain.height) }),
    'platform.getTimestamp': () => ({ timestamp: '2027-01-31T12:00:00Z' }),
    'platform.getValidatorsAt': () => ({ ...Object.fromEntries(chain.validators.map((id) => [id, { weight: '1000' }])) }),
  };
  const server = Bun.serve({
    port,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      if (chain.isSilent) return new Promise<Response>(() => {});
      if (chain.isDown) return new Response('', { status: 503 });
      const { method, id } = (await request.json()) as { method: string; id: number };
      return Response.json({ jsonrpc: '2.0', id, result: answers[method]?.() });
    },
  });
  return { chain, url: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) };
}
