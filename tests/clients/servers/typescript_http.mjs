// A server of the TypeScript SDK over HTTP: `node typescript_http.mjs auto|sse PORT`.
//
// Requests without a session are served statelessly, sessions by a transport of their own.

import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { McpServer, createMcpHandler } from '@modelcontextprotocol/server';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

const [mode, port] = process.argv.slice(2);
const text = (value) => ({ content: [{ type: 'text', text: value }] });

function make() {
  const server = new McpServer({ name: 'typescript', version: '2.4.0' }, { instructions: 'Try everything.' });
  server.registerTool('echo', { description: 'Give a text back.', inputSchema: z.object({ text: z.string() }) }, (given) =>
    text(given.text)
  );
  server.registerTool('fail', { description: 'Report an error.' }, () => ({ ...text('on purpose'), isError: true }));
  server.registerTool(
    'count',
    { description: 'Report progress on the way.', inputSchema: z.object({ to: z.number().int() }) },
    async ({ to }, ctx) => {
      const progressToken = ctx.mcpReq._meta?.progressToken;
      for (let progress = 1; progress <= to; progress += 1) {
        await ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: to } });
      }
      return text('counted');
    }
  );
  server.registerTool(
    'wait',
    { description: 'Take some time.', inputSchema: z.object({ seconds: z.number() }) },
    async ({ seconds }) => {
      await sleep(seconds * 1000);
      return text('waited');
    }
  );
  server.registerPrompt(
    'greeting',
    { description: 'Greet a person.', argsSchema: z.object({ name: z.string() }) },
    ({ name }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Say hello to ${name}` } }] })
  );
  server.registerResource('rules', 'memo://rules', { mimeType: 'text/plain' }, (uri) => ({
    contents: [{ uri: uri.href, text: 'Be kind.' }],
  }));
  return server;
}

const stateless = toNodeHandler(createMcpHandler(make, { legacy: 'reject', responseMode: mode }));
const sessions = new Map();

async function inSession(request, response) {
  const known = sessions.get(request.headers['mcp-session-id']);
  if (known) {
    await known.handleRequest(request, response);
    return;
  }
  if (request.headers['mcp-session-id']) {
    response.writeHead(404).end();
    return;
  }
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: mode === 'auto',
    onsessioninitialized: (id) => sessions.set(id, transport),
    onsessionclosed: (id) => sessions.delete(id),
  });
  await make().connect(transport);
  await transport.handleRequest(request, response);
}

createServer(async (request, response) => {
  const isSession = request.headers['mcp-protocol-version'] !== '2026-07-28';
  await (isSession ? inSession : stateless)(request, response);
}).listen(Number(port), '127.0.0.1');
