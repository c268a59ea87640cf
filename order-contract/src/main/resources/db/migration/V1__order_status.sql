-- The status projection: written by order-consumer from `orders` and `order-outcomes`, read by the gateways.
-- A row can be made again from the topics at any time.
CREATE TABLE order_status (
    order_id    uuid PRIMARY KEY,
    customer_id text        NOT NULL,
    status      text        NOT NULL CHECK (status IN ('accepted', 'retrying', 'saved', 'failed')),
    attempts    integer     NOT NULL CHECK (attempts >= 0),
    accepted_at timestamptz,           -- null until the record of `orders` has been read: an outcome may come first
    updated_at  timestamptz NOT NULL,
    reason      text,
    fingerprint bytea,                 -- SHA-256 of the order first accepted under this id; null like accepted_at
    payload     text                   -- of a failed order that was readable: its JSON, to deliver it again
);

-- Failed orders are few among many and are listed by time.
CREATE INDEX order_status_failed ON order_status (updated_at, order_id) WHERE status = 'failed';
