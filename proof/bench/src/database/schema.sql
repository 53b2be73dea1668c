-- A database-backed exchange at its smallest: balances of 1,000 accounts, orders, a ledger.
CREATE TABLE bal(acct int, asset int, free bigint, held bigint DEFAULT 0, PRIMARY KEY(acct, asset));
INSERT INTO bal SELECT a, 1, 1e17::bigint FROM generate_series(1, 1000) a;
CREATE TABLE orders(id bigserial PRIMARY KEY, acct int, symbol int, side int, px bigint, qty bigint, remaining bigint, payload text);
CREATE INDEX ON orders(acct, id);
CREATE TABLE ledger(id bigserial PRIMARY KEY, acct int, asset int, delta bigint, reason int);
