// The TypeScript SDK over stdio.

import { serveStdio } from '@modelcontextprotocol/server/stdio';

import { newServer } from './typescript_tools.mjs';

serveStdio(newServer);
