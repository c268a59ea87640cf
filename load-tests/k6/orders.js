// Places queued orders at a fixed rate, as one k6 process or as several:
//
//   k6 run -e GATEWAY=http://10.0.0.1:8080 -e RATE=3000 -e DURATION=60s load-tests/k6/orders.js
//   k6 run --execution-segment 0:1/2 --execution-segment-sequence 0,1/2,1 ...    on the first of two machines, 1/2:1 on the second
//
// The result counts as good only if every order was sent and answered 202. Orders are real: choose a system that can accept them.
import http from 'k6/http';
import exec from 'k6/execution';
import { check } from 'k6';

const gateway = __ENV.GATEWAY || 'http://127.0.0.1:8080';

export const options = {
  scenarios: {
    orders: {
      executor: 'constant-arrival-rate',
      rate: Number(__ENV.RATE || 100),
      duration: __ENV.DURATION || '30s',
      preAllocatedVUs: 200,
      maxVUs: 5000,
    },
  },
  thresholds: { checks: ['rate==1'], dropped_iterations: ['count==0'] },
};

export function setup() {
  return { run: `k6-${Date.now()}-${Math.floor(Math.random() * 1e9)}` };
}

export default function ({ run }) {
  const number = exec.scenario.iterationInTest;
  const order = {
    customerId: `customer-${number % 1000}`,
    items: [{ sku: `sku-${number % 97}`, quantity: 2, unitPrice: { amount: '9.90', currency: 'EUR' } }],
  };
  const headers = { 'Content-Type': 'application/json', Prefer: 'respond-async', 'Idempotency-Key': `"${run}-${number}"` };
  const answer = http.post(`${gateway}/orders`, JSON.stringify(order), { headers });
  check(answer, { 'accepted, 202': ({ status }) => status === 202 });
}
