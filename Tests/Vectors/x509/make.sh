#!/bin/sh
# Makes the certificates of this folder anew, with new keys; needs OpenSSL 3.0 or later. Run it in an empty folder.
set -e
EC="-algorithm EC -pkeyopt ec_param_enc:named_curve -pkeyopt ec_paramgen_curve:P-256"
RSA="-algorithm RSA -pkeyopt rsa_keygen_bits:2048"
PSS="-sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:32 -sigopt rsa_mgf1_md:sha256"
printf 'basicConstraints=critical,CA:FALSE\nkeyUsage=critical,digitalSignature\n' > ext

root() { # name, key, digest and signature options
    openssl genpkey $2 -out "$1.key"
    openssl req -x509 -new -key "$1.key" -subj "/C=UT/O=TEST/CN=$1" -days 3650 $3 -out "$1.pem" \
        -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign
}
leaf() { # name, root, key, digest and signature options, extensions
    openssl genpkey $3 -out "$1.key"
    openssl req -new -key "$1.key" -subj "/C=UT/O=TEST/CN=$1" -out "$1.csr"
    openssl x509 -req -in "$1.csr" -CA "$2.pem" -CAkey "$2.key" -days 3600 -set_serial "0x$(openssl rand -hex 8)" \
        $4 $5 -out "$1.pem"
}

root pss-root "$RSA" "-sha256 $PSS"
root rsa-root "$RSA" -sha256
root brainpool-root "-algorithm EC -pkeyopt ec_param_enc:named_curve -pkeyopt ec_paramgen_curve:brainpoolP256r1" -sha256
leaf pss-leaf pss-root "$EC" "-sha256 $PSS" "-extfile ext"
leaf sha1-leaf rsa-root "$EC" -sha1 "-extfile ext"
leaf v1-leaf rsa-root "$EC" -sha256
leaf secp256k1-leaf rsa-root "-algorithm EC -pkeyopt ec_param_enc:named_curve -pkeyopt ec_paramgen_curve:secp256k1" \
    -sha256 "-extfile ext"
leaf explicit-curve-leaf rsa-root "-algorithm EC -pkeyopt ec_param_enc:explicit -pkeyopt ec_paramgen_curve:P-256" \
    -sha256 "-extfile ext"
leaf weak-leaf rsa-root "-algorithm RSA -pkeyopt rsa_keygen_bits:1024" -sha256 "-extfile ext"
leaf brainpool-leaf brainpool-root "$EC" -sha256 "-extfile ext"
openssl genpkey $EC -out v1-root.key
openssl req -new -key v1-root.key -subj /C=UT/O=TEST/CN=v1-root -out v1-root.csr
openssl x509 -req -in v1-root.csr -signkey v1-root.key -days 3650 -sha256 -out v1-root.pem
leaf below-v1-leaf v1-root "$EC" -sha256 "-extfile ext"
rm -f ./*.key ./*.csr ext
