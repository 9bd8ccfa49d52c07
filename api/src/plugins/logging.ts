import { type FastifyReply, type FastifyRequest, LogController } from 'fastify'

/**
 * One line for each request, with the pattern of its route: an address may hold a clientId, which is a credential.
 * What only reads and goes well is for debugging; a polling browser alone would fill a disk.
 */
export class RequestLog extends LogController {
  override incomingRequest(): void {}

  override requestCompleted(error: Error | null, request: FastifyRequest, reply: FastifyReply): void {
    const line = {
      method: request.method,
      route: request.routeOptions.url ?? 'none',
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    }
    if (error) request.log.error({ ...line, err: error }, 'request broken off')
    else if (request.method === 'GET' && reply.statusCode < 400) request.log.debug(line, 'request')
    else request.log.info(line, 'request')
  }

  override routeNotFound(): void {}
}
