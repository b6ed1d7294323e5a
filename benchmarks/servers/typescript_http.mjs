// The TypeScript SDK over HTTP, on Node's own server: one handler for each era.

import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

import { newServer } from './typescript_tools.mjs';

const sessions = new Map();

async function newSession() {
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: process.env.BENCH_SSE !== '1',
    onsessioninitialized: (id) => sessions.set(id, transport),
    onsessionclosed: (id) => sessions.delete(id),
  });
  await newServer().connect(transport);
  return transport;
}

const modern = toNodeHandler(
  createMcpHandler(newServer, { legacy: 'reject', responseMode: 'json' }),
);

async function legacy(request, response) {
  const transport = sessions.get(request.headers['mcp-session-id']) ?? (await newSession());
  await transport.handleRequest(request, response);
}

createServer((request, response) => {
  const isModern = request.headers['mcp-protocol-version'] === '2026-07-28';
  return (isModern ? modern : legacy)(request, response);
}).listen(Number(process.env.BENCH_PORT), '127.0.0.1');
