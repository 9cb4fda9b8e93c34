/**
 * A certificate for localhost and 127.0.0.1 with its key, and the authority that signed it; good
 * for a hundred years and for nothing but these tests. Node cannot sign certificates, so they were
 * made once with openssl 3: `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days
 * 36500` for the authority, whose key was thrown away, and `x509 -req -days 36500` for the server,
 * with `subjectAltName=DNS:localhost,IP:127.0.0.1` and `basicConstraints=CA:FALSE`.
 */
export const AUTHORITY = `-----BEGIN CERTIFICATE-----
MIIBpTCCAUugAwIBAgIUaeuZWeLeHGouxUxRe3kcVLXuq8cwCgYIKoZIzj0EAwIw
HzEdMBsGA1UEAwwUUXVpcHUgdGVzdCBhdXRob3JpdHkwIBcNMjYxMTIxMDgyMzE3
WhgPMjEyNjEwMjgwODIzMTdaMB8xHTAbBgNVBAMMFFF1aXB1IHRlc3QgYXV0aG9y
aXR5MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEmsbSg+upcME8P3JdXQwV21cg
mTAa0pHDX6dcqqBsEiuwfojrikZYtbnySVOWZd+Ayccc5VlEF74At2Pei95mRKNj
MGEwHQYDVR0OBBYEFPT/SqUHBh+RYlec+d3VUdHsnas+MB8GA1UdIwQYMBaAFPT/
SqUHBh+RYlec+d3VUdHsnas+MA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQD
AgIEMAoGCCqGSM49BAMCA0gAMEUCIHRrXAZWAWDroP/HAL+xs4kAPskzqgU0WuZr
UjVPGkukAiEA7EVeE3NTQKJf6572B0Yfr3sZSOvJ1qy3RjX21YIZu4w=
-----END CERTIFICATE-----
`;

export const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBzDCCAXKgAwIBAgIUShYoPhnG28JjP9CjYFRzTraYGGYwCgYIKoZIzj0EAwIw
HzEdMBsGA1UEAwwUUXVpcHUgdGVzdCBhdXRob3JpdHkwIBcNMjYxMTIxMDgyMzE3
WhgPMjEyNjEwMjgwODIzMTdaMBwxGjAYBgNVBAMMEVF1aXB1IHRlc3Qgc2VydmVy
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEaQOa+GXFFYaSdh249O02grFn4Kad
yVnu1soX/TBaI0QzTATV8MjkuBcu7P08b8iLNAy2JLNq/eQIMVpJobaspqOBjDCB
iTAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCQYDVR0TBAIwADALBgNVHQ8E
BAMCB4AwEwYDVR0lBAwwCgYIKwYBBQUHAwEwHQYDVR0OBBYEFHjlQqANaQyab2v/
vitF+u0Fd734MB8GA1UdIwQYMBaAFPT/SqUHBh+RYlec+d3VUdHsnas+MAoGCCqG
SM49BAMCA0gAMEUCIQCNdR1hCOVlCgNbrAH4Dp6A1H988qIpy7xAHDysxE5IPwIg
Z+HaK+wTehVyYQAE0PpUO7jOvT+vKO2zdvj5ACAf6zk=
-----END CERTIFICATE-----
`;

export const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgZpKu7jnCgaBJfIjG
QFkD6ggk/FLB/Kw6rTAELab55MihRANCAARpA5r4ZcUVhpJ2Hbj07TaCsWfgpp3J
We7Wyhf9MFojRDNMBNXwyOS4Fy7s/TxvyIs0DLYks2r95AgxWkmhtqym
-----END PRIVATE KEY-----
`;
